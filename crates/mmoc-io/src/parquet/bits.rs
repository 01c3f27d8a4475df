//! Numbers of a few bits each, packed without gaps, the lowest bit first.

use super::fault::{Fault, Found};

/// The number of `width` bits, at most 64, that begins at bit `start`.
pub(super) fn packed(bytes: &[u8], start: usize, width: usize) -> Found<u64> {
    let (first, shift) = (start / 8, start % 8);
    if shift + width > 64 {
        let low = packed(bytes, start, 32)?;
        return Ok(low | packed(bytes, start + 32, width - 32)? << 32);
    }
    let word = match bytes.get(first..first + 8) {
        Some(eight) => u64::from_le_bytes(eight.try_into().expect("eight bytes")),
        None => last_bytes(bytes, first, (shift + width).div_ceil(8))?,
    };
    let mask = u64::MAX.checked_shr(64 - width as u32).unwrap_or(0);
    Ok(word >> shift & mask)
}

/// Up to eight bytes near the end, the lowest first.
fn last_bytes(bytes: &[u8], first: usize, count: usize) -> Found<u64> {
    let few = bytes
        .get(first..first + count)
        .ok_or_else(Fault::too_short)?;
    let mut eight = [0; 8];
    eight[..count].copy_from_slice(few);
    Ok(u64::from_le_bytes(eight))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_at_every_place_is_the_number_of_its_bits() {
        let bytes: Vec<u8> = (0..17_u8).map(|i| i.wrapping_mul(167) ^ 0x5A).collect();
        let bit = |at: usize| u64::from(bytes[at / 8] >> (at % 8) & 1);
        for width in 0..=64 {
            for start in 0..=bytes.len() * 8 - width {
                let slow = (0..width).map(|i| bit(start + i) << i).sum::<u64>();
                assert_eq!(packed(&bytes, start, width), Ok(slow), "{start} {width}");
            }
        }
    }

    #[test]
    fn bits_beyond_the_end_are_a_fault() {
        for (start, width) in [(17, 8), (24, 1), (0, 25), (9, 64), (1 << 40, 3)] {
            assert_eq!(packed(&[1, 2, 3], start, width), Err(Fault::too_short()));
        }
    }
}
