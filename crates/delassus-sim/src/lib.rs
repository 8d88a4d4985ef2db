//! Drivers, recorder and run summary
