//! Where the commands look, what names a pipeline, and what is said to a word that names nothing: on a machine
//! made for the test, outside every sandbox.

mod machine;

mod completion;
mod found;
mod ids;
mod options;
mod words;
