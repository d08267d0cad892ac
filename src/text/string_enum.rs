//! Enums whose variants have a word: one place for the variant, its meaning and its word.

/// Declares an enum with a method `word` that returns the word of each variant, and `FromStr` for the way back.
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
                match word {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(()),
                }
            }
        }
    };
}
