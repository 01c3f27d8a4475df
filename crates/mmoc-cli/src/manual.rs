//! `mmoc man`: manual pages, made of the same texts as the help.

use std::io::Write;
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use mmoc::whole_file::replace_file;
use mmoc_experiment::text::counted;

use crate::args::{Cli, ManArgs};
use crate::failure::Failure;
use crate::output;
use crate::target::make_folder;

pub(crate) fn run(args: &ManArgs) -> Result<(), Failure> {
    let mut program = Cli::command();
    program.build();
    match &args.out {
        Some(folder) => write_all(&program, folder),
        None => output::bytes(&page(find(&program, &args.command)?)?),
    }
}

/// The command that some words name, each a command of the one before.
fn find<'a>(program: &'a Command, words: &[String]) -> Result<&'a Command, Failure> {
    words.iter().try_fold(program, |command, word| {
        let found = documented(command).find(|command| command.get_name() == word);
        found.ok_or_else(|| unknown(command, word))
    })
}

/// Writes the page of the program and those of all commands.
fn write_all(program: &Command, folder: &Path) -> Result<(), Failure> {
    make_folder(folder)?;
    let commands = with_all_below(program);
    for command in &commands {
        let contents = page(command)?;
        let path = folder.join(manual(command).get_filename());
        replace_file(path, |out| out.write_all(&contents))?;
    }
    let pages = counted(commands.len(), "page");
    output::message("wrote", &format!("{pages} to {}", folder.display()));
    Ok(())
}

fn page(command: &Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    manual(command).render(&mut page)?;
    Ok(page)
}

fn manual(command: &Command) -> Man {
    let source = concat!("mmoc ", env!("CARGO_PKG_VERSION"));
    Man::new(command.clone()).source(source)
}

fn with_all_below(command: &Command) -> Vec<&Command> {
    let below = documented(command).flat_map(with_all_below);
    std::iter::once(command).chain(below).collect()
}

/// The commands below one that have a page.
fn documented(command: &Command) -> impl Iterator<Item = &Command> {
    let below = command.get_subcommands();
    below.filter(|command| command.get_name() != "help")
}

fn unknown(command: &Command, word: &str) -> Failure {
    let names: Vec<&str> = documented(command).map(Command::get_name).collect();
    let expected = match names.as_slice() {
        [] => format!("nothing after '{}'", command.get_name()),
        names => format!("one of {}", names.join(", ")),
    };
    Failure::wrong_usage(format!("'{word}' is no command: expected {expected}"))
}
