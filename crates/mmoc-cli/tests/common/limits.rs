//! The binary with less than it may want: memory, room on the disk, permissions.

use super::{BINARY, Folder, Outcome};

/// Runs the binary with so many megabytes of addresses. One that wants more says so and ends.
pub(crate) fn within_memory(folder: &Folder, megabytes: usize, arguments: &str) -> Outcome {
    let limit = format!("ulimit -v {}", megabytes * 1024);
    in_shell(folder, &limit, arguments)
}

/// Runs the binary where no file can grow beyond so many blocks of 512 bytes, as on a full disk.
pub(crate) fn within_blocks(folder: &Folder, blocks: usize, arguments: &str) -> Outcome {
    // The signal would end the program before the system can tell it what is wrong.
    let limit = format!("trap '' XFSZ; ulimit -f {blocks}");
    in_shell(folder, &limit, arguments)
}

/// Runs the binary after a line of the shell.
fn in_shell(folder: &Folder, line: &str, arguments: &str) -> Outcome {
    let script = format!("{line} && exec \"$0\" \"$@\"");
    let mut command = folder.command("sh");
    command.args(["-c", &script, BINARY]);
    Outcome::of(command.args(arguments.split_ascii_whitespace()))
}
