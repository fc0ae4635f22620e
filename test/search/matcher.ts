/**
 * The query language as its page tells it, written as plainly as can be and without any index: what search is held
 * against. It makes queries from trees, so that it needs no parser, and looks at each note by itself.
 */

export interface Subject {
  readonly title: string
  readonly body: string
  readonly folder: string | null
  readonly tags: readonly string[]
  readonly inline_tags: readonly string[]
  readonly pinned: boolean
  readonly archived_at: string | null
  readonly daily_date: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly checklist: { readonly total: number; readonly done: number }
  readonly links: { readonly out: number; readonly in: number }
}

export type Tree =
  | { readonly all: readonly Tree[] }
  | { readonly any: readonly Tree[] }
  | { readonly not: Tree }
  | { readonly field: string; readonly value: string; readonly form: 'plain' | 'quoted' | 'prefix' | 'substring' }

/** The tree as a query. Brackets stand around all that is joined. */
export function spelled(tree: Tree): string {
  if ('all' in tree) return `(${tree.all.map(spelled).join(' ')})`
  if ('any' in tree) return `(${tree.any.map(spelled).join(' OR ')})`
  if ('not' in tree) return `NOT ${spelled(tree.not)}`
  const { value, form } = tree
  const text = { plain: value, quoted: `"${value}"`, prefix: `${value}*`, substring: `*${value}*` }[form]
  return tree.field === '' ? text : `${tree.field}:${text}`
}

export function matches(tree: Tree, note: Subject): boolean {
  if ('all' in tree) return tree.all.every((part) => matches(part, note))
  if ('any' in tree) return tree.any.some((part) => matches(part, note))
  if ('not' in tree) return !matches(tree.not, note)
  const { field, value, form } = tree
  switch (field) {
    case '':
      return [note.title, note.tags.join('\n'), note.body].some((text) => found(text, value, form))
    case 'title':
      return found(note.title, value, form)
    case 'body':
      return found(note.body, value, form)
    case 'tag':
      return [...note.tags, ...note.inline_tags].some((tag) => nested(tag.toLowerCase(), value.toLowerCase(), form))
    case 'folder':
      return nested(note.folder ?? '', value, form)
    case 'created':
    case 'updated':
      return dated(field === 'created' ? note.created_at : note.updated_at, value)
    default:
      return PREDICATES[`${field}:${value}`]?.(note) ?? false
  }
}

const PREDICATES: Record<string, (note: Subject) => boolean> = {
  'is:pinned': (note) => note.pinned,
  'is:archived': (note) => note.archived_at !== null,
  'is:daily': (note) => note.daily_date !== null,
  'is:orphan': (note) => note.links.in === 0 && note.links.out === 0,
  'is:untagged': (note) => note.tags.length === 0 && note.inline_tags.length === 0,
  'has:link': (note) => note.links.out > 0,
  'has:checklist': (note) => note.checklist.total > 0,
  'has:todo': (note) => note.checklist.total > note.checklist.done,
  'has:code': (note) => note.body.includes('`code`'),
  'has:heading': (note) => /^# /m.test(note.body),
}

/** Letters that readers take for others. */
const ALIKE: readonly (readonly [RegExp, string])[] = [
  [/ς/g, 'σ'],
  [/ß/g, 'ss'],
  [/ł/g, 'l'],
  [/ø/g, 'o'],
  [/đ/g, 'd'],
  [/ı/g, 'i'],
  [/æ/g, 'ae'],
  [/œ/g, 'oe'],
  [/þ/g, 'th'],
  [/[أإآٱ]/g, 'ا'],
  [/ى/g, 'ي'],
  [/ة/g, 'ه'],
  [/[\u00ad\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g, ''],
]

export function plain(text: string): string {
  const bare = text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '')
  const lower = bare.normalize('NFC').toLowerCase()
  return ALIKE.reduce((text, [from, to]) => text.replace(from, to), lower).normalize('NFC')
}

function found(text: string, value: string, form: string): boolean {
  const wanted = plain(value)
  const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]/u.test(wanted)
  if (form === 'substring' || unspaced || !/[\p{L}\p{N}]/u.test(wanted)) return plain(text).includes(wanted)
  const [words, phrase] = [wordsIn(text), wordsIn(value)]
  const open = form === 'prefix' && /[\p{L}\p{N}\p{M}]$/u.test(wanted)
  return words.some((_, at) =>
    phrase.every(
      (word, i) => words[at + i] === word || (open && i === phrase.length - 1 && words[at + i]?.startsWith(word)),
    ),
  )
}

/** Between a script without spaces and others: a word of the others begins or ends there. */
const BESIDE_UNSPACED =
  /(?<=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]\p{M}*)(?=[\p{L}\p{N}])(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}])|(?<=[\p{L}\p{N}]\p{M}*)(?=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}])/u

function wordsIn(text: string): string[] {
  return plain(text)
    .split(BESIDE_UNSPACED)
    .flatMap((part) => part.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [])
}

function nested(own: string, wanted: string, form: string): boolean {
  if (form === 'prefix') return own.startsWith(wanted)
  if (form === 'substring') return own.includes(wanted)
  return own === wanted || own.startsWith(`${wanted}/`)
}

/** In UTC, by comparing the texts of days. */
function dated(instant: string, value: string): boolean {
  const day = instant.slice(0, 10)
  const [, sign = '', from = '', to = from] = /^([<>]=?)?([\d-]+)(?:\.\.([\d-]+))?$/.exec(value) ?? []
  const before = day < from && !day.startsWith(from)
  const after = day > to && !day.startsWith(to)
  return { '': !before && !after, '>=': !before, '>': after, '<=': !after, '<': before }[sign] ?? false
}
