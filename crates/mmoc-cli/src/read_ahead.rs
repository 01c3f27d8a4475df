//! Standard input that is read while its rows are predicted.

use std::io::{self, Cursor, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// So many bytes are read at once; a pipe of Linux holds as many.
const BLOCK: usize = 1 << 16;

/// So many blocks wait at most.
const BLOCKS: usize = 8;

/// Standard input, read by a thread of its own. A read gives all that has come, up to the room for it, and waits only
/// if nothing has.
pub(crate) struct ReadAhead {
    blocks: Receiver<io::Result<Vec<u8>>>,
    present: Cursor<Vec<u8>>,
    /// What went wrong behind the bytes that were given.
    failed: Option<io::Error>,
}

impl ReadAhead {
    /// Begins to read.
    pub(crate) fn standard_input() -> Self {
        let (sender, blocks) = sync_channel(BLOCKS);
        // The thread ends with the input, with the receiver or with the program.
        std::thread::spawn(move || send_blocks(&mut io::stdin().lock(), &sender));
        Self::new(blocks)
    }

    fn new(blocks: Receiver<io::Result<Vec<u8>>>) -> Self {
        Self {
            blocks,
            present: Cursor::default(),
            failed: None,
        }
    }

    /// Takes a block for the present one, and gives of it what there is room for.
    fn take(&mut self, block: io::Result<Vec<u8>>, room: &mut [u8]) -> io::Result<usize> {
        self.present = Cursor::new(block?);
        self.present.read(room)
    }
}

fn send_blocks(input: &mut impl Read, blocks: &SyncSender<io::Result<Vec<u8>>>) {
    loop {
        let mut block = vec![0; BLOCK];
        let read = match input.read(&mut block) {
            Ok(0) => return,
            Ok(count) => {
                block.truncate(count);
                Ok(block)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let is_last = read.is_err();
        if blocks.send(read).is_err() || is_last {
            return;
        }
    }
}

impl Read for ReadAhead {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let mut count = self.present.read(room)?;
        if count == 0 && !room.is_empty() {
            match self.blocks.recv() {
                Ok(block) => count = self.take(block, room)?,
                Err(_) => return Ok(0),
            }
        }
        while count < room.len() {
            let Ok(block) = self.blocks.try_recv() else {
                break;
            };
            match self.take(block, &mut room[count..]) {
                Ok(more) => count += more,
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_gives_all_that_has_come_and_then_the_error() {
        let (sender, blocks) = sync_channel(BLOCKS);
        for block in ["ab", "cd", "e"] {
            sender.send(Ok(block.into())).unwrap();
        }
        sender.send(Err(io::Error::other("broken"))).unwrap();
        let mut input = ReadAhead::new(blocks);
        let mut room = [0; 3];
        assert_eq!(input.read(&mut room).unwrap(), 3);
        assert_eq!(&room, b"abc");
        assert_eq!(input.read(&mut room).unwrap(), 2);
        assert_eq!(&room[..2], b"de");
        assert_eq!(input.read(&mut room).unwrap_err().to_string(), "broken");
    }
}
