//! LIBSVM files and those of the extreme classification repository.

use super::{case, check};

#[test]
fn libsvm_rows() {
    let rows = |input: &str, message: &'static str| case("a.svm", "", input, message);
    check(&[
        rows(
            "",
            "a.svm:1:1: expected at least one row, found the end of the file",
        ),
        rows(
            "# nothing\n\n",
            "a.svm:3:1: expected at least one row, found the end of the file",
        ),
        rows(
            "1\n",
            "a.svm:2:1: expected at least one index:value, found the end of the file",
        ),
        rows(
            "1:1\n",
            "a.svm:2:1: expected at least one label, found the end of the file",
        ),
        rows(
            "-1 1:1\n",
            "a.svm:1:1: expected a label: a whole number from 0, found '-1'",
        ),
        rows(
            "1.5 1:1\n",
            "a.svm:1:1: expected a label: a whole number from 0, found '1.5'",
        ),
        rows(
            "1, 2 1:1\n",
            "a.svm:1:3: expected a label: a whole number from 0, found nothing",
        ),
        rows(
            "1,2,1 1:1\n",
            "a.svm:1:1: expected each label once, found 1 again",
        ),
        rows(
            "99999999999999999999 1:1\n",
            "a.svm:1:1: expected a label: a whole number from 0, found '99999999999999999999'",
        ),
        rows(
            "1 2:1 2:1\n",
            "a.svm:1:7: expected each index once, found 2 again",
        ),
        rows(
            "1 1:1\n2 5 1:1\n",
            "a.svm:2:3: expected index:value, found '5'",
        ),
        rows("1 1:x\n", "a.svm:1:5: expected a finite number, found 'x'"),
        rows(
            "1 1:\n",
            "a.svm:1:5: expected a finite number, found nothing",
        ),
        rows(
            "1 1:nan\n",
            "a.svm:1:5: expected a finite number, found 'nan'",
        ),
        rows("1 1:?\n", "a.svm:1:5: expected a finite number, found '?'"),
        rows(
            "1 4294967295:1\n",
            "a.svm:1:3: expected an index from 0 to 4194303, found '4294967295'",
        ),
    ]);
}

#[test]
fn extreme_rows() {
    let rows = |input: &str, message: &'static str| case("a.txt", "", input, message);
    check(&[
        rows(
            "",
            "a.txt:1:1: expected the numbers of rows, features and labels, found the end of the file",
        ),
        rows(
            "\n",
            "a.txt:1:1: expected the number of rows (1 to 4294967295), found nothing",
        ),
        rows(
            "1 2\n",
            "a.txt:1:4: expected the number of labels (1 to 4194304), found nothing",
        ),
        rows(
            "1 2 3 4\n",
            "a.txt:1:6: expected the end of the line of sizes, found '4'",
        ),
        rows(
            "one 2 3\n",
            "a.txt:1:1: expected the number of rows (1 to 4294967295), found 'one'",
        ),
        rows(
            "0 2 3\n",
            "a.txt:1:1: expected the number of rows (1 to 4294967295), found '0'",
        ),
        rows(
            "999999999999 999999999999 5\n",
            "a.txt:1:1: expected the number of rows (1 to 4294967295), found '999999999999'",
        ),
        rows(
            "1 999999999999 5\n0 0:1\n",
            "a.txt:1:3: expected the number of features (1 to 4194304), found '999999999999'",
        ),
        rows(
            "1 5 4294967296\n0 0:1\n",
            "a.txt:1:5: expected the number of labels (1 to 4194304), found '4294967296'",
        ),
        rows(
            "2 3 3\n0 0:1\n",
            "a.txt:3:1: expected row 2 of 2, found the end of the file",
        ),
        rows(
            "1 3 3\n0 0:1\n1 1:1\n",
            "a.txt:3:1: expected no row after 1 as the first line says, found one more",
        ),
        rows(
            "1 3 3\n3 0:1\n",
            "a.txt:2:1: expected a label: a whole number from 0 to 2, found '3'",
        ),
        rows(
            "1 3 3\n0 3:1\n",
            "a.txt:2:3: expected an index from 0 to 2, found '3'",
        ),
        rows(
            "1 3 3\n0 1:1 0:1 1:2\n",
            "a.txt:2:11: expected each index once, found 1 again",
        ),
        rows(
            "1 3 3\n0 1;1\n",
            "a.txt:2:3: expected index:value, found '1;1'",
        ),
        rows(
            "1 3 3\n0 1:1e999\n",
            "a.txt:2:5: expected a finite number, found '1e999'",
        ),
    ]);
}
