//! ARFF headers and rows.

use super::{Case, case, check};

#[test]
fn arff_headers() {
    let header = |input: &str, message: &'static str| case("a.arff", "-1", input, message);
    check(&[
        header(
            "",
            "a.arff:1:1: expected @relation, found the end of the file",
        ),
        header(
            "% only a comment\n\n",
            "a.arff:3:1: expected @relation, found the end of the file",
        ),
        header("a,b\n1,2\n", "a.arff:1:1: expected @relation, found 'a'"),
        header(
            "@attribute a real\n",
            "a.arff:1:1: expected @relation, found '@attribute'",
        ),
        header(
            "@relation\n",
            "a.arff:1:10: expected the name of the relation, found the end of the line",
        ),
        header(
            "@relation r\n@relation r\n",
            "a.arff:2:1: expected @attribute, found '@relation'",
        ),
        header(
            "@relation 'r' s\n",
            "a.arff:1:15: expected the end of the line, found 's'",
        ),
        header(
            "@relation r\n@data\n",
            "a.arff:2:1: expected @attribute, found '@data'",
        ),
        header(
            "@relation r\n@inputs a\n",
            "a.arff:2:1: expected @attribute, found '@inputs'",
        ),
        header(
            "@relation r\n{\n",
            "a.arff:2:1: expected @attribute, found '{'",
        ),
        header(
            "@relation r\n@attribute\n",
            "a.arff:2:11: expected the name of an attribute, found the end of the line",
        ),
        header(
            "@relation r\n@attribute a\n",
            "a.arff:2:13: expected a type: numeric, real, integer, string, date or values in braces, found the end of the line",
        ),
        header(
            "@relation r\n@attribute a string\n@attribute b real\n@data\nx,1\n",
            "a.arff:2:12: expected numbers or a list of values in 'a', found strings",
        ),
        header(
            "@relation r\n@attribute a date 'yyyy'\n@attribute b real\n@data\n2024,1\n",
            "a.arff:2:12: expected numbers or a list of values in 'a', found dates",
        ),
        header(
            "@relation r\n@attribute a relational\n",
            "a.arff:2:14: expected a type: numeric, real, integer, string, date or values in braces, found 'relational'",
        ),
        header(
            "@relation r\n@attribute a 'numeric'\n",
            "a.arff:2:14: expected a type: numeric, real, integer, string, date or values in braces, found 'numeric'",
        ),
        header(
            "@relation r\n@attribute a real [0,9\n",
            "a.arff:2:23: expected a range that ends in ']', found the end of the line",
        ),
        header(
            "@relation r\n@attribute a {}\n",
            "a.arff:2:15: expected a value of the list, found '}'",
        ),
        header(
            "@relation r\n@attribute a {x,,y}\n",
            "a.arff:2:17: expected a value of the list, found ','",
        ),
        header(
            "@relation r\n@attribute a {x,y\n",
            "a.arff:2:18: expected ',' or '}' after a value of the list, found the end of the line",
        ),
        header(
            "@relation r\n@attribute a {x y}\n",
            "a.arff:2:17: expected ',' or '}' after a value of the list, found 'y'",
        ),
        header(
            "@relation r\n@attribute a {x,y,x}\n",
            "a.arff:2:19: expected a value not listed before, found 'x'",
        ),
        header(
            "@relation r\n@attribute a,b real\n",
            "a.arff:2:13: expected a type: numeric, real, integer, string, date or values in braces, found ','",
        ),
        header(
            "@relation r\n@attribute a real\n  @attribute a real\n",
            "a.arff:3:14: expected a name that no other attribute has, found 'a'",
        ),
        header(
            "@relation r\n@attribute 'größe real\n",
            "a.arff:2:23: expected a closing ', found the end of the line",
        ),
        header(
            "@relation r\n@attribute 'a\\q' real\n",
            "a.arff:2:14: expected an escape (\\n, \\r, \\t, \\uXXXX or \\ before a sign), found '\\q'",
        ),
        header(
            "@relation r\n@attribute 'a'b real\n",
            "a.arff:2:15: expected a separator after the closing quote, found 'b'",
        ),
        header(
            "@relation r\n@attribute a real\n@data now\n",
            "a.arff:3:7: expected the end of the line, found 'now'",
        ),
        header(
            "@relation r\n@attribute a real\n",
            "a.arff:3:1: expected @attribute or @data, found the end of the file",
        ),
        header(
            "@relation r\n@attribute a real\n@attribute b real\n@data\n% none\n",
            "a.arff:6:1: expected at least one row, found the end of the file",
        ),
        header(
            "@relation r\n@attribute a {x,y,z}\n@attribute a=y real\n@attribute b real\n@data\n",
            "a.arff:3:12: expected columns with names of their own, found 'a=y' again",
        ),
    ]);
}

#[test]
fn lists_that_are_too_long() {
    let values: Vec<String> = (0..1001).map(|value| value.to_string()).collect();
    let list = values.join(",");
    let text = format!("@relation r\n@attribute a {{{list}}}\n@attribute b real\n@data\n1,1\n");
    let message = "a.arff:2:12: expected at most 1000 values of a feature, found 1001";
    check(&[case("a.arff", "-1", text, message)]);
}

/// A header of a number, a flag, a list and a label.
pub(super) const HEADER: &str = "@relation r
@attribute n real
@attribute f {0,1}
@attribute c {red,green,'dark blue'}
@attribute l {0,1}
@data
";

fn row(row: &str, message: &'static str) -> Case {
    case("a.arff", "l", format!("{HEADER}{row}\n"), message)
}

#[test]
fn dense_rows() {
    check(&[
        row(
            "1,0,red",
            "a.arff:7:8: expected ',' and a value of 'l', found the end of the line",
        ),
        row(
            "1",
            "a.arff:7:2: expected ',' and a value of 'f', found the end of the line",
        ),
        row(
            "1,0,red,1,1",
            "a.arff:7:10: expected the end of the row, found ','",
        ),
        row(
            "1,0,red,1 1",
            "a.arff:7:11: expected the end of the row, found '1'",
        ),
        row(
            "1,0,red,1,{5}",
            "a.arff:7:11: expected a row without a weight, found '{'",
        ),
        row(
            "1 0 red 1",
            "a.arff:7:3: expected ',' and a value of 'f', found '0'",
        ),
        row("1,,red,1", "a.arff:7:3: expected a value of 'f', found ','"),
        row(
            "1,0,red,",
            "a.arff:7:9: expected a value of 'l', found the end of the line",
        ),
        row(
            "x,0,red,1",
            "a.arff:7:1: expected a finite number, found 'x'",
        ),
        row(
            "inf,0,red,1",
            "a.arff:7:1: expected a finite number, found 'inf'",
        ),
        row(
            "-NaN,0,red,1",
            "a.arff:7:1: expected a finite number, found '-NaN'",
        ),
        row(
            "1e999,0,red,1",
            "a.arff:7:1: expected a finite number, found '1e999'",
        ),
        row(
            "1,2,red,1",
            "a.arff:7:3: expected a value of 'f' {'0', '1'}, found '2'",
        ),
        row(
            "1,0,blue,1",
            "a.arff:7:5: expected a value of 'c' {'red', 'green', 'dark blue'}, found 'blue'",
        ),
        row(
            "1,0,'dark blue,1",
            "a.arff:7:17: expected a closing ', found the end of the line",
        ),
        row(
            "1,0,'red'x,1",
            "a.arff:7:10: expected a separator after the closing quote, found 'x'",
        ),
        row(
            "?,0,red,1",
            "a.arff:7:1: expected a value of 'n' in row 1, found '?'",
        ),
        row(
            "1,0,red,1\n\n1,0,?,1",
            "a.arff:9:5: expected a value of 'c' in row 2, found '?'",
        ),
        row(
            "1,0,red,?",
            "a.arff:7:9: expected 0 or 1 for the label 'l', found '?'",
        ),
        row(
            "1,0,red,2",
            "a.arff:7:9: expected a value of 'l' {'0', '1'}, found '2'",
        ),
        row(
            "1,0,red,1.0",
            "a.arff:7:9: expected a value of 'l' {'0', '1'}, found '1.0'",
        ),
        row(
            "1,0,red,1}",
            "a.arff:7:10: expected the end of the row, found '}'",
        ),
        row(
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,0,red,1",
            "a.arff:7:1: expected a finite number, found 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…'",
        ),
        row(
            "\u{1}\u{7f},0,red,1",
            "a.arff:7:1: expected a finite number, found '\\u{1}\\u{7f}'",
        ),
    ]);
    let numeric = "@relation r\n@attribute a real\n@attribute l real\n@data\n";
    check(&[
        case(
            "a.arff",
            "l",
            format!("{numeric}1,2\n"),
            "a.arff:5:3: expected 0 or 1 for the label 'l', found '2'",
        ),
        case(
            "a.arff",
            "l",
            format!("{numeric}1,0.5\n"),
            "a.arff:5:3: expected 0 or 1 for the label 'l', found '0.5'",
        ),
    ]);
}

#[test]
fn sparse_rows() {
    check(&[
        row(
            "{0 1",
            "a.arff:7:5: expected ',' or '}' after a value, found the end of the line",
        ),
        row(
            "{0 1,",
            "a.arff:7:6: expected the index of a later attribute (1 to 3), found the end of the line",
        ),
        row(
            "{0 1,}",
            "a.arff:7:6: expected the index of a later attribute (1 to 3), found '}'",
        ),
        row("{0}", "a.arff:7:3: expected a value of 'n', found '}'"),
        row(
            "{0 1 2}",
            "a.arff:7:6: expected ',' or '}' after a value, found '2'",
        ),
        row(
            "{x 1}",
            "a.arff:7:2: expected the index of an attribute (0 to 3), found 'x'",
        ),
        row(
            "{-1 1}",
            "a.arff:7:2: expected the index of an attribute (0 to 3), found '-1'",
        ),
        row(
            "{4 1}",
            "a.arff:7:2: expected the index of an attribute (0 to 3), found '4'",
        ),
        row(
            "{1 1, 0 1}",
            "a.arff:7:7: expected the index of a later attribute (2 to 3), found '0'",
        ),
        row(
            "{1 1, 1 1}",
            "a.arff:7:7: expected the index of a later attribute (2 to 3), found '1'",
        ),
        row(
            "{3 1, 3 1}",
            "a.arff:7:7: expected '}' after the last attribute, found '3'",
        ),
        row(
            "{99999999999999999999999 1}",
            "a.arff:7:2: expected the index of an attribute (0 to 3), found '99999999999999999999999'",
        ),
        row("{0 x}", "a.arff:7:4: expected a finite number, found 'x'"),
        row(
            "{0 ?}",
            "a.arff:7:4: expected a value of 'n' in row 1, found '?'",
        ),
        row(
            "{2 blue}",
            "a.arff:7:4: expected a value of 'c' {'red', 'green', 'dark blue'}, found 'blue'",
        ),
        row(
            "{3 ?}",
            "a.arff:7:4: expected 0 or 1 for the label 'l', found '?'",
        ),
        row(
            "{0 1}, {5}",
            "a.arff:7:8: expected a row without a weight, found '{'",
        ),
        row(
            "{0 1} 5",
            "a.arff:7:7: expected the end of the row, found '5'",
        ),
        row(
            "{0:1}",
            "a.arff:7:2: expected the index of an attribute (0 to 3), found '0:1'",
        ),
    ]);
}
