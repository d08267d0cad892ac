//! How values of the model are recorded: each has a form of its own in the record.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use super::text::{Moment, Text};
use crate::model::{Foreign, Stamp};

/// A value that is in a record.
pub(in crate::replay::session) trait Recorded {
    /// What is in the record.
    type Record;

    /// Its form in the record.
    fn record(&self) -> Self::Record;

    /// The value of a record.
    fn of_record(record: &Self::Record) -> Self;
}

/// Declares the record of a struct of the model: its members in the order of the record, each with its type in the
/// model. Members that are not recorded follow with the value that they have when a record is read.
macro_rules! recorded {
    (
        $(#[$meta:meta])*
        struct $record:ident of $model:ident {
            $($(#[$about:meta])* $member:ident: $type:ty,)+
        }
        $(with { $($left:ident: $value:expr,)+ })?
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        pub(in crate::replay::session) struct $record {
            $($(#[$about])* $member: <$type as Recorded>::Record,)+
        }

        impl Recorded for $model {
            type Record = $record;

            fn record(&self) -> $record {
                $record { $($member: self.$member.record(),)+ }
            }

            fn of_record(record: &$record) -> Self {
                Self {
                    $($member: <$type as Recorded>::of_record(&record.$member),)+
                    $($($left: $value,)+)?
                }
            }
        }
    };
}
pub(super) use recorded;

macro_rules! as_it_is {
    ($($type:ty),+) => {
        $(impl Recorded for $type {
            type Record = Self;

            fn record(&self) -> Self {
                self.clone()
            }

            fn of_record(record: &Self) -> Self {
                record.clone()
            }
        })+
    };
}
as_it_is!(bool, u32, u64, usize, f64, String, BTreeMap<String, String>);

macro_rules! as_text {
    ($($type:ty: $bytes:path, $of:path;)+) => {
        $(impl Recorded for $type {
            type Record = Text;

            fn record(&self) -> Text {
                Text::from($bytes(self))
            }

            fn of_record(record: &Text) -> Self {
                $of(record.bytes().to_vec())
            }
        })+
    };
}
as_text! {
    Foreign: Foreign::as_bytes, Foreign::from;
    OsString: OsStr::as_bytes, OsString::from_vec;
    Vec<u8>: Vec::as_slice, Vec::from;
}

impl Recorded for PathBuf {
    type Record = Text;

    fn record(&self) -> Text {
        Text::from(self.as_os_str().as_bytes())
    }

    fn of_record(record: &Text) -> Self {
        OsString::of_record(record).into()
    }
}

impl<T: Recorded> Recorded for Vec<T> {
    type Record = Vec<T::Record>;

    fn record(&self) -> Self::Record {
        self.iter().map(T::record).collect()
    }

    fn of_record(record: &Self::Record) -> Self {
        record.iter().map(T::of_record).collect()
    }
}

impl<T: Recorded> Recorded for Option<T> {
    type Record = Option<T::Record>;

    fn record(&self) -> Self::Record {
        self.as_ref().map(T::record)
    }

    fn of_record(record: &Self::Record) -> Self {
        record.as_ref().map(T::of_record)
    }
}

/// A moment that cannot be read is none.
impl Recorded for Option<Stamp> {
    type Record = Option<Moment>;

    fn record(&self) -> Self::Record {
        self.map(Moment::from)
    }

    fn of_record(record: &Self::Record) -> Self {
        record.as_ref().and_then(Moment::stamp)
    }
}
