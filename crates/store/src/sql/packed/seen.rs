//! Last nights of a theme in few bytes. Each theme that a night saw is written with up to a dozen of them.
//!
//! A night is its label, its time, and the count of its terms before the terms.

use nightfold_memory::{GameTime, NightLabel, ThemeSeen};

use super::{PackedError, Unpacked, write_number, write_text};

/// First byte, to tell this form from a later one.
const FORM: u8 = 1;

/// Returns the bytes of the nights.
pub(crate) fn to_bytes(nights: &[ThemeSeen]) -> Vec<u8> {
    let mut bytes = vec![FORM];
    write_number(&mut bytes, nights.len() as u64);
    for ThemeSeen { night, at, terms } in nights {
        write_text(&mut bytes, night.as_str());
        write_number(&mut bytes, unsigned(at.to_number()));
        write_number(&mut bytes, terms.len() as u64);
        for term in terms {
            write_text(&mut bytes, term);
        }
    }
    bytes
}

/// Reads the bytes that [`to_bytes`] wrote.
pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Vec<ThemeSeen>, PackedError> {
    let mut rest = Unpacked::of(bytes, FORM)?;
    let mut nights = Vec::new();
    for _ in 0..rest.number()? {
        let night = NightLabel::new(rest.text()?).map_err(PackedError::value)?;
        let at = GameTime::from_number(signed(rest.number()?));
        let at = at.ok_or_else(|| PackedError::value("a number is no time"))?;
        let mut terms = Vec::new();
        for _ in 0..rest.number()? {
            terms.push(rest.text()?.to_owned());
        }
        nights.push(ThemeSeen { night, at, terms });
    }
    rest.end(nights)
}

/// Returns a number whose size is that of the given one, whatever its sign (`ZigZag`).
fn unsigned(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

fn signed(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn night() -> impl Strategy<Value = ThemeSeen> {
        let at = prop_oneof![(-1_000_000_000_000_i64..1_000_000_000_000), Just(0_i64)]
            .prop_filter_map("a time", GameTime::from_number);
        ("[a-z0-9-]{1,12}", at, prop::collection::vec("\\PC{0,8}", 0..4))
            .prop_map(|(night, at, terms)| ThemeSeen { night: NightLabel::new(night).unwrap(), at, terms })
    }

    proptest! {
        #[test]
        fn nights_are_read_as_they_were_written(nights in prop::collection::vec(night(), 0..12)) {
            prop_assert_eq!(from_bytes(&to_bytes(&nights)).unwrap(), nights);
        }

        #[test]
        fn damaged_bytes_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(nights) = from_bytes(&bytes) {
                prop_assert_eq!(from_bytes(&to_bytes(&nights)).unwrap(), nights);
            }
        }

        #[test]
        fn every_number_has_its_own_unsigned_one(number in any::<i64>()) {
            prop_assert_eq!(signed(unsigned(number)), number);
        }
    }

    #[test]
    fn cut_or_longer_bytes_are_refused() {
        let at: GameTime = "1204-05-03T06:10:00Z".parse().unwrap();
        let night = NightLabel::new("1204-05-03").unwrap();
        let bytes = to_bytes(&[ThemeSeen { night, at, terms: vec!["mill".to_owned()] }]);
        assert!(bytes.len() < 30, "{bytes:?}");
        for length in 0..bytes.len() {
            assert!(from_bytes(&bytes[..length]).is_err(), "{length}");
        }
        assert!(matches!(from_bytes(&[&bytes[..], &[0]].concat()), Err(PackedError::Length)));
        assert!(matches!(from_bytes(&[2]), Err(PackedError::Form { found: 2, .. })));
    }
}
