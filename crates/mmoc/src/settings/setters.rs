//! Setters for the fields of parameters, to be called one after the other.

/// Makes a setter for each field: `name: type = path.of.the.field`. The field may be an option of the type.
macro_rules! setters {
    ($params:ident { $($(#[$doc:meta])* $name:ident: $type:ty = $($field:ident).+;)+ }) => {
        impl $params {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(mut self, $name: $type) -> Self {
                    self.$($field).+ = $name.into();
                    self
                }
            )+
        }
    };
}

pub(crate) use setters;
