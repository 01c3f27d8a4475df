//! The example of the README. A test of the pages checks that these are its lines.

use std::fmt::Write;

use mmoc::method::MaxMargin;

/// Songs of four features. Each mood depends on two of them.
fn songs() -> String {
    let mut table = String::from("x1,x2,x3,x4,mood_1,mood_2\n");
    for row in 0..60_u32 {
        let [a, b, c, d] = [7, 11, 13, 17].map(|factor| row * factor % 19);
        let (first, second) = (u8::from(a > b), u8::from(c > d));
        writeln!(table, "{a},{b},{c},{d},{first},{second}").expect("a string takes text");
    }
    table
}

fn example() -> Result<(), Box<dyn std::error::Error>> {
    let songs = mmoc_io::read("songs.csv", mmoc_io::labels("mood_*"))?;
    let (train, test) = songs.split(0.8, 1)?;
    let model = MaxMargin::default().c(1e3).fit(&train)?;
    println!("{}", model.predict(&test)?.score(&test)?.subset_accuracy());
    model.save("songs.mmoc")?;
    Ok(())
}

#[test]
fn the_example_saves_a_model() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::env::set_current_dir(&folder).expect("the folder exists");
    std::fs::write("songs.csv", songs()).expect("a file can be written");
    example().unwrap();
    assert!(folder.path().join("songs.mmoc").exists());
}
