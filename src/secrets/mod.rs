//! secrets.
