/* A file that does not compile, and defines nothing that is needed, does not matter. */
this is no C;
