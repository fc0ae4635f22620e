/** Entities that people write by hand. Numeric ones are decoded by the lexer. */
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  shy: '\u00ad',
  copy: '©',
  reg: '®',
  trade: '™',
  deg: '°',
  euro: '€',
  pound: '£',
  sect: '§',
  para: '¶',
  middot: '·',
  bull: '•',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  laquo: '«',
  raquo: '»',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  times: '×',
  divide: '÷',
  plusmn: '±',
  ne: '≠',
  le: '≤',
  ge: '≥',
  larr: '←',
  uarr: '↑',
  rarr: '→',
  darr: '↓',
  ensp: '\u2002',
  emsp: '\u2003',
  thinsp: '\u2009',
}

/** Decodes the entities of a text once; those that are not in the list stay as they are written. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&([a-z]+);/g, (written, name: string) =>
    Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] ?? written) : written,
  )
}
