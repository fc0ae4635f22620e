/** What links must come to, counted naively: every note is looked at for every link. */

export interface ModelNote {
  readonly id: string
  readonly title: string
  readonly folder: string | null
  readonly body: string
  readonly deleted_at: string | null
  readonly properties: { readonly aliases?: string | string[] }
}

export interface ModelLink {
  readonly target: string
  readonly note_id: string | null
  readonly ambiguous: boolean
  readonly missing: 'note' | 'heading' | 'block' | null
  /** The target, and behind `#` the heading or the block if that is what is missing. */
  readonly wanted: string
}

const fold = (text: string) => text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim()
const path = (note: ModelNote) => fold(note.folder === null ? note.title : `${note.folder}/${note.title}`)
const length = (note: ModelNote) => note.folder?.length ?? 0

/** The notes that answer at the first step at which one does, best first. */
function answers(living: readonly ModelNote[], from: ModelNote, target: string): ModelNote[] {
  const wanted = fold(target)
  const steps: ((note: ModelNote) => boolean)[] = [
    (note) => wanted === `note:${note.id}`,
    (note) => note.folder !== null && path(note) === wanted,
    (note) => fold(note.title) === wanted && fold(note.folder ?? '') === fold(from.folder ?? ''),
    (note) => wanted.includes('/') && from.folder !== null && path(note) === `${fold(from.folder)}/${wanted}`,
    (note) => fold(note.title) === wanted,
    (note) => [note.properties.aliases ?? []].flat().some((alias) => fold(alias) === wanted),
  ]
  const found = steps.map((step) => living.filter(step)).find((notes) => notes.length > 0) ?? []
  return found.toSorted((a, b) => length(a) - length(b) || (a.id < b.id ? -1 : 1))
}

/** Whether a body made by the tests has a heading, which is a line of its own, or a block, which ends a line. */
function has(body: string, part: string | undefined): boolean {
  if (part === undefined) return true
  const lines = body.split('\n').map((line) => line.trim())
  return lines.some((line) => (part.startsWith('^') ? line.endsWith(` ${part}`) : line === `# ${part}`))
}

/** The links of a body made by the tests: code stands in single backticks, comments in `<!-- -->`. */
export function modelLinks(living: readonly ModelNote[], from: ModelNote): ModelLink[] {
  const visible = from.body.replace(/`[^`]*`|<!--.*?-->/g, '')
  return [...visible.matchAll(/\[\[([^[\]|#]*)(?:#([^[\]|]*))?[^[\]]*\]\]/g)].map(([, name = '', part]) => {
    const target = name.trim()
    const [first, second] = target === '' ? [from] : answers(living, from, target)
    const kind = part?.startsWith('^') ? 'block' : 'heading'
    const missing = first ? (has(first.body, part) ? null : kind) : 'note'
    const wanted = first ? `${fold(target)}#${part}` : fold(target)
    return { target, note_id: first?.id ?? null, ambiguous: second !== undefined, missing, wanted }
  })
}

export function recount(notes: readonly ModelNote[]) {
  const living = notes.filter(({ deleted_at }) => deleted_at === null)
  const links = new Map(notes.map((note) => [note.id, note.deleted_at === null ? modelLinks(living, note) : []]))
  const backlinks = new Map(
    notes.map(({ id }) => [
      id,
      living
        .filter((note) => links.get(note.id)?.some((link) => link.note_id === id && link.target !== ''))
        .map((note) => note.id)
        .toSorted(),
    ]),
  )
  const counts = new Map(
    notes.map(({ id }) => {
      const distinct = new Map(
        links
          .get(id)
          ?.filter(({ target }) => target !== '')
          .map((link) => [fold(link.target), link]),
      )
      const missing = links.get(id)?.flatMap(({ missing, wanted }) => (missing === null ? [] : [wanted]))
      const unresolved = new Set(missing).size
      return [id, { out: distinct.size, unresolved, in: backlinks.get(id)?.length ?? 0 }]
    }),
  )
  const wanted = new Map<string, number>()
  for (const note of living) {
    const targets = links.get(note.id)?.flatMap(({ missing, wanted }) => (missing === null ? [] : [wanted]))
    for (const target of new Set(targets)) wanted.set(target, (wanted.get(target) ?? 0) + 1)
  }
  return { links, backlinks, counts, unresolved: wanted }
}
