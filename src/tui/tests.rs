//! The console over a synthetic source: whole screens as pictures, keys as stories, any messages as a property.

mod acting;
mod acting_screens;
mod amendment;
mod answered;
mod attended;
mod comparing;
mod conversations;
mod differences;
mod harness;
mod launching;
mod made_up;
mod new_replay;
mod pictures;
mod planning;
mod pointing;
mod property;
mod recovering;
mod replay_screens;
mod replays;
mod rows;
mod screens;
mod several;
mod small;
mod spoken;
mod stories;
