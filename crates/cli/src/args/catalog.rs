//! Commands by group, each with examples for its help.

/// Group of commands in the help of the program.
#[derive(Debug)]
pub(crate) struct CommandGroup {
    pub(crate) heading: &'static str,
    pub(crate) commands: &'static [CommandExamples],
}

/// Examples of a command: what each does, and the line to type.
#[derive(Debug)]
pub(crate) struct CommandExamples {
    /// Name of the command, preceded by the names of its parent commands: `models fetch`.
    pub(crate) path: &'static str,
    pub(crate) examples: &'static [(&'static str, &'static str)],
}

const fn of(path: &'static str, examples: &'static [(&'static str, &'static str)]) -> CommandExamples {
    CommandExamples { path, examples }
}

/// All commands, in the order of the help.
pub(crate) const GROUPS: [CommandGroup; 5] = [
    CommandGroup {
        heading: "Sleeping",
        commands: &[
            of(
                "sleep",
                &[
                    ("Show what the night makes of a day, without writing it", "nightfold sleep day.jsonl"),
                    (
                        "Write a night for each date to a store",
                        "nightfold sleep days.jsonl --by-day --store town.db --apply",
                    ),
                    (
                        "Write the nights, then maintain and purge, and wait for whoever writes",
                        "nightfold sleep day.jsonl --store town.db --apply --then maintain,purge --wait 5m",
                    ),
                    (
                        "Sleep on all days that lie in a folder, and move them to another",
                        "nightfold sleep --inbox inbox --done done --by-day --store town.db --apply -q",
                    ),
                    (
                        "Save the plan for a review",
                        "nightfold sleep day.jsonl --store town.db --plan night.json --markdown",
                    ),
                ],
            ),
            of("pack", &[("Pack a day for workers that share it", "nightfold pack days/*.jsonl --to day")]),
            of(
                "run",
                &[(
                    "See how far the workers of a night are",
                    "nightfold run status --store postgres://nightfold@db/town",
                )],
            ),
            of(
                "run status",
                &[(
                    "List the latest runs for a program",
                    "nightfold run status --last 7 --json --store postgres://nightfold@db/town",
                )],
            ),
            of(
                "run end",
                &[(
                    "End a run that was begun with the wrong pack",
                    "nightfold run end 12 --store postgres://nightfold@db/town",
                )],
            ),
            of(
                "show",
                &[
                    ("Show a saved plan with all reasons", "nightfold show night.json -v"),
                    ("Draw it as a page", "nightfold show night.json --store town.db --report night.html"),
                ],
            ),
            of(
                "apply",
                &[
                    ("Write a saved plan to the store", "nightfold apply night.json --store town.db"),
                    (
                        "Write all but one of its changes",
                        "nightfold apply night.json --store town.db --except supersede:m-41",
                    ),
                ],
            ),
            of(
                "undo",
                &[
                    ("Undo all that the last call wrote", "nightfold undo --store town.db"),
                    (
                        "Undo an NPC's nights from one on",
                        "nightfold undo --store town.db --npc Mara --night 1204-05-03 --cascade",
                    ),
                ],
            ),
            of(
                "save-point",
                &[
                    (
                        "Note the state of a store with a saved game",
                        "nightfold save-point \"slot 1\" --store town.db",
                    ),
                    ("List the save points", "nightfold save-point --store town.db"),
                ],
            ),
            of(
                "rewind",
                &[
                    ("Load a saved game", "nightfold rewind --to \"slot 1\" --store town.db --apply"),
                    (
                        "See what an NPC would lose",
                        "nightfold rewind --to 1204-05-03T12:00:00Z --npc Mara --store town.db",
                    ),
                ],
            ),
            of(
                "compare",
                &[(
                    "Compare two algorithms on the same nights",
                    "nightfold compare days.jsonl --by-day --with kmeans,hierarchical",
                )],
            ),
            of(
                "desk",
                &[(
                    "Turn settings on a page, and see the night planned again",
                    "nightfold desk scenarios/first-nights",
                )],
            ),
            of("serve", &[("Keep towns for a game's mod", "nightfold serve --stores towns --port 7341")]),
        ],
    },
    CommandGroup {
        heading: "Asking",
        commands: &[
            of(
                "recall",
                &[(
                    "Ask what an NPC knows",
                    "nightfold recall Mara \"who opened the gate\" --store town.db --explain",
                )],
            ),
            of(
                "list",
                &[(
                    "List one NPC's entries, archived ones too",
                    "nightfold list --store town.db --npc Mara --all",
                )],
            ),
            of("themes", &[("Show an NPC's themes", "nightfold themes Mara --store town.db")]),
            of(
                "why",
                &[
                    ("Explain an entry", "nightfold why m-41 --store town.db"),
                    ("Draw its provenance with Graphviz", "nightfold why m-41 --store town.db --graph dot"),
                ],
            ),
            of("mcp", &[("Let an assistant ask about one NPC", "nightfold mcp --store town.db --npc Mara")]),
        ],
    },
    CommandGroup {
        heading: "Maintenance",
        commands: &[
            of(
                "maintain",
                &[
                    ("Show all maintenance that is due", "nightfold maintain --store town.db"),
                    (
                        "Cap insights and forget faded entries",
                        "nightfold maintain --store town.db --only cap,forget --apply",
                    ),
                ],
            ),
            of(
                "collapse",
                &[("Merge repeated status lines of a store", "nightfold collapse --store town.db --apply")],
            ),
            of("cap", &[("Show the insight files over the cap", "nightfold cap insights")]),
            of(
                "purge",
                &[(
                    "Delete entries that were archived 100 nights ago or more",
                    "nightfold purge --store town.db --older-than-nights 100 --apply",
                )],
            ),
            of(
                "erase",
                &[
                    ("Show what NPCs know of a player", "nightfold erase --person Conan --store town.db"),
                    (
                        "Forget the player",
                        "nightfold erase --person Conan --also \"Conan the Barbarian\" --store town.db --apply",
                    ),
                ],
            ),
            of("restore", &[("Restore an archived entry", "nightfold restore m-41 --store town.db --apply")]),
            of(
                "settle",
                &[("Decide for a contested entry", "nightfold settle m-41 --for --store town.db --apply")],
            ),
            of(
                "stats",
                &[(
                    "Show the size of a store and the NPCs with the largest memory",
                    "nightfold stats --store town.db",
                )],
            ),
            of(
                "check",
                &[
                    ("Look for damage in a store", "nightfold check --store town.db"),
                    ("Check one NPC, for a program", "nightfold check --store town.db --npc Mara --json"),
                ],
            ),
            of("vacuum", &[("Give free space back to the disk", "nightfold vacuum --store town.db --apply")]),
            of(
                "backup",
                &[
                    ("Back a store up while it is in use", "nightfold backup town-0503.db --store town.db"),
                    ("Replace yesterday's backup", "nightfold backup backup.db --store town.db --overwrite"),
                ],
            ),
            of(
                "export",
                &[("Export a store as lines of JSON", "nightfold export --store town.db --to town.jsonl")],
            ),
            of("import", &[("Make a store from an export", "nightfold import town.jsonl --store copy.db")]),
        ],
    },
    CommandGroup {
        heading: "Scenarios and measuring",
        commands: &[
            of("init", &[("Write a first scenario into a new folder", "nightfold init town")]),
            of(
                "replay",
                &[
                    ("Check all scenarios of a folder", "nightfold replay scenarios"),
                    ("Accept their present outcomes", "nightfold replay scenarios --update"),
                ],
            ),
            of("bench", &[("Measure the speed of 1000 nights", "nightfold bench --npcs 1000 --memories 50")]),
        ],
    },
    CommandGroup {
        heading: "Other",
        commands: &[
            of(
                "models",
                &[
                    ("Fetch the model before going offline", "nightfold models fetch"),
                    ("Check its files", "nightfold models verify"),
                ],
            ),
            of("models list", &[("List the files and their places", "nightfold models list")]),
            of("models fetch", &[("Fetch the files that are missing", "nightfold models fetch")]),
            of("models verify", &[("Check every file against its checksum", "nightfold models verify")]),
            of(
                "config",
                &[
                    ("Begin a configuration file with every key", "nightfold config > nightfold.toml"),
                    (
                        "Show the configuration of an NPC, and which profile sets what",
                        "nightfold config --npc \"Bran Holt\"",
                    ),
                ],
            ),
            of(
                "schema",
                &[
                    ("List the schemas of all outputs", "nightfold schema"),
                    ("Print the schema of a plan", "nightfold schema plan > plan.schema.json"),
                ],
            ),
            of(
                "completions",
                &[(
                    "Complete commands and options in bash",
                    "nightfold completions bash > ~/.local/share/bash-completion/completions/nightfold",
                )],
            ),
            of(
                "man",
                &[("Write all man pages into a folder", "nightfold man --out ~/.local/share/man/man1")],
            ),
        ],
    },
];
