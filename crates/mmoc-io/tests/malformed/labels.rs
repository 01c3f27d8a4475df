//! Choices of labels, and Mulan label files.

use mmoc_io::{LabelSource, ReadOptions, read_files};

use super::arff::HEADER;
use super::{case, check, compare, message_of};

#[test]
fn choices_of_labels() {
    let arff = |labels: &'static str, message: &'static str| {
        case("a.arff", labels, format!("{HEADER}1,0,red,1\n"), message)
    };
    let meka = |option: &str, message: &'static str| {
        let header = HEADER.replace("@relation r", &format!("@relation 'r: {option}'"));
        case("a.arff", "", format!("{header}1,0,red,1\n"), message)
    };
    check(&[
        arff(
            "",
            "a.arff:1:11: expected labels that are named by '-C N' after a colon in the relation's name, found 'r'",
        ),
        arff(
            "4",
            "a.arff:6:1: expected at least one label and fewer than the 4 columns, found 4",
        ),
        arff(
            "-5",
            "a.arff:6:1: expected at least one label and fewer than the 4 columns, found 5",
        ),
        arff(
            "label",
            "a.arff:6:1: expected a column named 'label', found only 'n', 'f', 'c', 'l'",
        ),
        arff(
            "l,label",
            "a.arff:6:1: expected a column named 'label', found only 'n', 'f', 'c', 'l'",
        ),
        arff(
            "TAG_*",
            "a.arff:6:1: expected a column whose name begins with 'TAG_', found only 'n', 'f', 'c', 'l'",
        ),
        arff(
            "*",
            "a.arff:6:1: expected a column that is no label, found none",
        ),
        arff(
            "n,f,c,l",
            "a.arff:6:1: expected a column that is no label, found none",
        ),
        meka(
            "-C 9",
            "a.arff:1:11: expected at least one label and fewer than the 4 columns, found 9",
        ),
        meka(
            "-C -4",
            "a.arff:1:11: expected at least one label and fewer than the 4 columns, found 4",
        ),
        meka(
            "-C 0",
            "a.arff:1:11: expected labels that are named by '-C N' after a colon in the relation's name, found 'r: -C 0'",
        ),
        meka(
            "-C x",
            "a.arff:1:11: expected labels that are named by '-C N' after a colon in the relation's name, found 'r: -C x'",
        ),
        case(
            "a.csv",
            "",
            "a,b\n1,0\n",
            "a.csv:1:1: expected a choice of labels, found none",
        ),
        case(
            "a.svm",
            "2",
            "1 1:1\n",
            "the choice of labels must be left out for libsvm and extreme files, whose rows name their labels, not '2'",
        ),
        case(
            "a.xc",
            "a*",
            "1 1 1\n0 0:1\n",
            "the choice of labels must be left out for libsvm and extreme files, whose rows name their labels, not 'a*'",
        ),
    ]);
    for text in ["0", "a,,b"] {
        let parsed = text.parse::<LabelSource>();
        let expected = "FILE.xml, a number other than 0, prefix* or names with commas between them";
        let message = format!("the choice of labels must be {expected}, not '{text}'");
        assert_eq!(parsed.unwrap_err().to_string(), message);
    }
}

/// The message for an ARFF file whose labels an XML file of this text names, without the folder.
fn message_for_xml(xml: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.arff");
    std::fs::write(&path, format!("{HEADER}1,0,red,1\n")).unwrap();
    std::fs::write(folder.path().join("a.xml"), xml).unwrap();
    let message = message_of(read_files(&[path], &ReadOptions::default()));
    message.replace(&format!("{}/", folder.path().display()), "")
}

#[test]
fn label_files() {
    let cases: [(&[u8], &'static str); 13] = [
        (b"", "a.xml:1:1: expected well-formed XML, found an error (the document does not have a root node)"),
        (b"labels", "a.xml:1:1: expected well-formed XML, found an error (unknown token)"),
        (b"<labels>\n<label name='l'>\n</labels>", "a.xml:3:1: expected well-formed XML, found an error (expected 'label' tag, not 'labels')"),
        (b"<labels><label name=l/></labels>", "a.xml:1:21: expected well-formed XML, found an error (expected a quote not 'l')"),
        (b"<list><label name='l'/></list>", "a.xml:1:1: expected the element <labels>, found <list>"),
        (b"<labels>\n  <tag name='l'/></labels>", "a.xml:2:3: expected an element <label>, found <tag>"),
        (b"<labels>\n  <label nom='l'/></labels>", "a.xml:2:3: expected a label with a name, found one without"),
        (b"<labels></labels>", "a.xml:1:1: expected at least one label, found none"),
        (b"<labels>\n<label name='l'/>\n<label name='l'/></labels>", "a.xml:3:14: expected a name not used before, found 'l' again"),
        (b"<labels>\n<label name='l'/>\n <label name='m'/></labels>", "a.xml:3:15: expected the name of a column of a.arff, found 'm'"),
        (b"<labels><label name='n'/><label name='f'/><label name='c'/><label name='l'/></labels>", "a.arff:1:11: expected a column that is no label, found none"),
        (b"<!DOCTYPE labels>\n<labels><label name='l'/></labels>", "a.xml:1:1: expected well-formed XML, found an error (XML with DTD detected)"),
        (b"<labels>\n<label name='\xE9'/></labels>", "a.xml:2:14: expected UTF-8 text, found the byte 0xE9"),
    ];
    compare(cases.map(|(xml, message)| (message, message_for_xml(xml))));
}
