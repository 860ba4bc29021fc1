// These packages have no types, or those of another module format.
declare module 'markdown-it-footnote' {
  const plugin: import('markdown-it').PluginSimple;
  export = plugin;
}

declare module 'markdown-it-task-lists' {
  const plugin: import('markdown-it').PluginSimple;
  export = plugin;
}
