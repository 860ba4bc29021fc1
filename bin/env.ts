/** The environment that a command runs in. */
export type Env = Readonly<Record<string, string | undefined>>;
