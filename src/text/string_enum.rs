//! Enums whose variants have a word: one place for the variant, its meaning and its word.

/// Declares an enum with a method `word` that returns the word of each variant, `FromStr` for the way back, and `ALL`.
/// serde writes the word, and reads it.
///
/// The word is used in JSON and on screen, so changing one changes a contract.
#[macro_export]
macro_rules! string_enum {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $($(#[$about:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[$meta])*
        $vis enum $name {
            $($(#[$about])* $variant,)+
        }

        impl $name {
            /// All of them, in the order of their declaration.
            $vis const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// The word used in JSON and on screen.
            $vis const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = ();

            fn from_str(word: &str) -> Result<Self, ()> {
                Self::ALL.into_iter().find(|one| one.word() == word).ok_or(())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.word())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let word = String::deserialize(from)?;
                let unknown = |()| serde::de::Error::custom(format!("unknown word {word}"));
                word.parse().map_err(unknown)
            }
        }
    };
}
