//! Tables with commas or tabs.

use super::{case, check};

#[test]
fn tables() {
    let table = |input: &str, message: &'static str| case("a.csv", "l", input, message);
    check(&[
        table(
            "",
            "a.csv:1:1: expected a line with the names of the columns, found the end of the file",
        ),
        table(
            "\n\n",
            "a.csv:3:1: expected a line with the names of the columns, found the end of the file",
        ),
        table(
            "a,l\n",
            "a.csv:2:1: expected at least one row, found the end of the file",
        ),
        table(
            "a,,l\n1,2,0\n",
            "a.csv:1:3: expected the name of a column, found an empty field",
        ),
        table(
            "a,a,l\n1,2,0\n",
            "a.csv:1:3: expected a name that no other column has, found 'a' again",
        ),
        table(
            "a,b\n1,2\n",
            "a.csv:1:1: expected a column named 'l', found only 'a', 'b'",
        ),
        table(
            "l\n1\n",
            "a.csv:1:1: expected a column that is no label, found none",
        ),
        table(
            "a,l\n1\n",
            "a.csv:2:2: expected 2 fields as in the header, found 1",
        ),
        table(
            "a,l\n1,0\n1,0,1\n",
            "a.csv:3:5: expected 2 fields as in the header, found 3",
        ),
        table(
            "a,l\n1,2\n",
            "a.csv:2:3: expected 0 or 1 for the label 'l', found '2'",
        ),
        table(
            "a,l\n1,t\n",
            "a.csv:2:3: expected 0 or 1 for the label 'l', found 't'",
        ),
        table(
            "a,l\n1,\n",
            "a.csv:2:3: expected 0 or 1 for the label 'l', found an empty cell",
        ),
        table(
            "a,l\n1,?\n",
            "a.csv:2:3: expected 0 or 1 for the label 'l', found '?'",
        ),
        table(
            "a,l\n,0\n",
            "a.csv:2:1: expected a value of 'a' in row 1, found an empty cell",
        ),
        table(
            "a,l\n1,0\n?,0\n",
            "a.csv:3:1: expected a value of 'a' in row 2, found '?'",
        ),
        table(
            "a,l\n1,0\nx,0\n",
            "a.csv:3:1: expected a finite number in 'a', found 'x'",
        ),
        table(
            "a,l\ninf,0\n1,0\n2,0\n",
            "a.csv:2:1: expected a finite number in 'a', found 'inf'",
        ),
        table(
            "a,l\nnan,0\n",
            "a.csv:2:1: expected a value of 'a' in row 1, found 'nan'",
        ),
        table(
            "a,l\nN,0\n3.5,0\n",
            "a.csv:3:1: expected a word in 'a', as in the first row, found '3.5'",
        ),
        table(
            "a,l\n1,0\n1e400,0\n",
            "a.csv:3:1: expected a finite number in 'a', found '1e400'",
        ),
        table(
            "a,l\n\"1,0\n2,0\n",
            "a.csv:2:1: expected a closing quote for this field, found none",
        ),
        table(
            "a,l\n1\"2,0\n",
            "a.csv:2:2: expected quotes only around a whole field, found one inside",
        ),
        table(
            "a,l\n\"1\"2,0\n",
            "a.csv:2:4: expected a separator after the closing quote, found more text",
        ),
        table(
            "\"a\nb\",l\n\"1\n\",x\n",
            "a.csv:4:3: expected 0 or 1 for the label 'l', found 'x'",
        ),
        table(
            "c,c=x,l\nx,1,0\ny,1,0\nz,1,0\n",
            "a.csv:1:3: expected columns with names of their own, found 'c=x' again",
        ),
        case(
            "a.tsv",
            "l",
            "größe\tl\n2\t0\n1,5\t0\n",
            "a.tsv:3:1: expected a finite number in 'größe' with a decimal point, found '1,5'",
        ),
        case(
            "a.tsv",
            "l",
            "a\tl\n1\t2\n",
            "a.tsv:2:3: expected 0 or 1 for the label 'l', found '2'",
        ),
    ]);
}
