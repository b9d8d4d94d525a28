//! Tests of the whole judgement.

mod cases;
mod examples;
mod mutations;
mod rules;
mod totality;
mod verdicts;
