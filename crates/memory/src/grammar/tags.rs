//! Tags of Universal Dependencies (de Marneffe et al. 2021): parts of speech, relations and features.

/// Declares an enumeration of tags, whose order is that of their numbers.
macro_rules! tags {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $tag:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            /// All tags, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the name of the tag in Universal Dependencies.
            pub const fn tag(self) -> &'static str {
                match self {
                    $(Self::$variant => $tag,)+
                }
            }

            /// Returns the tag of this name.
            pub fn from_tag(tag: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.tag() == tag)
            }

            /// Returns the tag of this number.
            pub(super) fn from_number(number: u32) -> Option<Self> {
                Self::ALL.get(usize::try_from(number).ok()?).copied()
            }
        }
    };
}

tags! {
    /// Part of speech.
    PartOfSpeech {
        /// Adjective.
        Adjective = "ADJ",
        /// Preposition or postposition.
        Adposition = "ADP",
        /// Adverb.
        Adverb = "ADV",
        /// Auxiliary verb, the copula included.
        Auxiliary = "AUX",
        /// Coordinating conjunction.
        Coordinator = "CCONJ",
        /// Determiner, articles included.
        Determiner = "DET",
        /// Interjection.
        Interjection = "INTJ",
        /// Common noun.
        Noun = "NOUN",
        /// Number.
        Numeral = "NUM",
        /// Particle: "to", "not", the possessive ending.
        Particle = "PART",
        /// Pronoun.
        Pronoun = "PRON",
        /// Proper noun.
        ProperNoun = "PROPN",
        /// Punctuation.
        Punctuation = "PUNCT",
        /// Subordinating conjunction.
        Subordinator = "SCONJ",
        /// Symbol.
        Symbol = "SYM",
        /// Main verb.
        Verb = "VERB",
        /// Something else, such as an address or a foreign word.
        Other = "X",
    }
}

tags! {
    /// Relation of a word to its head.
    Relation {
        /// Clause that modifies a noun.
        ClauseOfNoun = "acl",
        /// Adverbial clause.
        AdverbialClause = "advcl",
        /// Adverbial modifier.
        AdverbialModifier = "advmod",
        /// Adjectival modifier.
        AdjectivalModifier = "amod",
        /// Apposition.
        Apposition = "appos",
        /// Auxiliary of a verb.
        Auxiliary = "aux",
        /// Preposition or possessive ending of a noun.
        Case = "case",
        /// Coordinating conjunction.
        Coordination = "cc",
        /// Clause as an object, with a subject of its own.
        ClausalComplement = "ccomp",
        /// First part of a compound.
        Compound = "compound",
        /// Conjunct of an earlier word.
        Conjunct = "conj",
        /// Copula of a predicate.
        Copula = "cop",
        /// Clause as a subject.
        ClausalSubject = "csubj",
        /// Unspecified dependency.
        Dependency = "dep",
        /// Determiner of a noun.
        Determiner = "det",
        /// Discourse element: "well", "please".
        Discourse = "discourse",
        /// Dislocated element.
        Dislocated = "dislocated",
        /// Expletive: "there is".
        Expletive = "expl",
        /// Part of a fixed expression.
        Fixed = "fixed",
        /// Further part of a name or date.
        Flat = "flat",
        /// Further part of a word that is written apart.
        PartOfWord = "goeswith",
        /// Indirect object.
        IndirectObject = "iobj",
        /// Item of a list.
        ListItem = "list",
        /// Word that introduces a clause: "to", "that", "because".
        Marker = "mark",
        /// Noun that modifies a noun, possessives included.
        NominalModifier = "nmod",
        /// Subject.
        Subject = "nsubj",
        /// Number of a noun.
        NumericModifier = "nummod",
        /// Object.
        Object = "obj",
        /// Other noun of a verb, mostly behind a preposition.
        Oblique = "obl",
        /// Dependent of an omitted word.
        Orphan = "orphan",
        /// Clause beside another.
        Parataxis = "parataxis",
        /// Punctuation.
        Punctuation = "punct",
        /// Speech that is corrected by what follows.
        Reparandum = "reparandum",
        /// Main word of a sentence, which has no head.
        Root = "root",
        /// Person addressed.
        Vocative = "vocative",
        /// Clause as an object, without a subject of its own.
        OpenComplement = "xcomp",
    }
}

tags! {
    /// Grammatical number.
    Number {
        /// One.
        Singular = "Sing",
        /// Several.
        Plural = "Plur",
    }
}

tags! {
    /// Grammatical person.
    Person {
        /// The speaker.
        First = "1",
        /// The person addressed.
        Second = "2",
        /// Anybody else.
        Third = "3",
    }
}

tags! {
    /// Tense of a verb.
    Tense {
        /// Past.
        Past = "Past",
        /// Present.
        Present = "Pres",
    }
}

tags! {
    /// Form of a verb.
    VerbForm {
        /// Finite.
        Finite = "Fin",
        /// Infinitive.
        Infinitive = "Inf",
        /// Participle.
        Participle = "Part",
        /// Gerund.
        Gerund = "Ger",
    }
}

tags! {
    /// Mood of a finite verb.
    Mood {
        /// Indicative.
        Indicative = "Ind",
        /// Imperative.
        Imperative = "Imp",
        /// Subjunctive.
        Subjunctive = "Sub",
    }
}
