import { Type } from '@sinclair/typebox'
import { titleKey } from '../lib/text'
import { collectedSchema, collectItems, showsFound, showsNote, showsTask, toSearchPhrase } from './find'
import { clip } from './fit'
import type { ActionTarget } from './schema'
import { closedObject } from './schema'
import type { ToolFound, ToolServices, ToolTask } from './services'
import type { CitationSource } from './source'
import { citeWhole, factText, listShownFields } from './source'
import { toDueMembers } from './task-changes'
import {
  allowsKind,
  choiceSchema,
  limitSchema,
  listSchema,
  type ReadTool,
  readOutput,
  type ToolContext,
  textOrNull,
  textSchema,
  wordSchema,
} from './tool'

const KINDS = ['note', 'task', 'fact'] as const
/** Items by default, and at most. */
const [DEFAULT_ITEMS, MAX_ITEMS] = [8, 20]

interface Hit {
  readonly type: ActionTarget['type']
  readonly id: string
  readonly title: string
  readonly preview: string
  readonly revision: number
  /** Of a task: a day, or a time in its zone. */
  readonly due?: string | null
  readonly time_zone?: string
  /** Of a fact. */
  readonly deck?: string
  /** That of a task; of a fact those of its cards, each once. */
  readonly state?: string
  readonly source: CitationSource | null
}

const input = closedObject({
  query: textSchema(300),
  types: Type.Optional(Type.Array(choiceSchema(KINDS), { maxItems: 3 })),
  limit: limitSchema(MAX_ITEMS),
  filter: Type.Optional(Type.String({ maxLength: 300, description: 'notes: tag:a created:2026' })),
  trashed: Type.Optional(Type.Boolean()),
})

const output = readOutput({
  items: listSchema({
    type: wordSchema(KINDS),
    id: Type.String(),
    title: Type.String(),
    preview: Type.String(),
    revision: Type.Integer(),
    due: Type.Optional(textOrNull()),
    time_zone: Type.Optional(Type.String()),
    deck: Type.Optional(Type.String()),
    state: Type.Optional(Type.String()),
  }),
  total: Type.Optional(collectedSchema()),
})

export function searchTool({ search, notes, tasks, flashcards }: ToolServices): ReadTool<typeof input> {
  /**
   * Finds by words, the last one as a beginning if nothing has it whole; best first. If anything has all of the words,
   * the rest is left out.
   */
  async function findBest({ session, scope, timeZone }: ToolContext, kinds: string, words: string, limit: number) {
    for (const completed of [{}, { prefix: 'last' } as const]) {
      const query = { q: words, types: kinds, time_zone: timeZone, ...completed }
      let relaxed = ''
      const found = await collectItems({
        async page(paging) {
          const page = await search(session, { ...query, ...paging })
          relaxed ||= page.relaxed
          return page
        },
        keep: (one) => showsFound(scope, one),
        limit,
      })
      const least = relaxed === 'none' ? (found[0]?.words ?? 0) : 0
      if (found.length > 0) return found.filter((one) => one.words >= least)
    }
    return []
  }

  /** Reads a result for its preview and its citation. */
  async function readHit({ session, timeZone }: ToolContext, found: ToolFound): Promise<Hit> {
    const { id } = found
    if (found.type === 'note') return toNoteHit(found, (await notes.get(session, id)).resource.body)
    if (found.type === 'task') {
      const { resource } = await tasks.get(session, id)
      return { ...toTaskHit(resource, timeZone), source: citeWhole.task(resource) }
    }
    const { resource } = await flashcards.getFact(session, id)
    const preview = resource.type === 'custom' ? listShownFields(resource).slice(1).join(' ') : (resource.back ?? '')
    return {
      ...toPlainHit('fact', { ...resource, title: factText(resource) }, preview),
      deck: clip(found.deck.name),
      state: [...new Set(found.cards.map(({ state }) => state))].join(', '),
      source: citeWhole.fact(resource),
    }
  }

  /** Lists the notes of a filter, the last changed first, with their number. */
  async function filterNotes({ session, scope, timeZone }: ToolContext, q: string, limit: number) {
    if (!allowsKind(scope, 'note')) return toCounted([], 0)
    const all = await collectItems({
      page: (paging) => notes.search(session, { q, sort: '-updated', time_zone: timeZone, ...paging }),
      keep: (one) => showsFound(scope, one),
    })
    return toCounted(
      all.slice(0, limit).map((one) => toPlainHit('note', one, one.type === 'note' ? one.excerpt : '')),
      all.length,
    )
  }

  /** Lists what is in the trash with all of the words in its title, and the number of it. */
  async function listTrashed(
    { session, scope, timeZone }: ToolContext,
    kinds: readonly string[],
    words: readonly string[],
    limit: number,
  ) {
    const keys = words.map(titleKey)
    const fits = ({ title }: { title: string }) => keys.every((key) => titleKey(title).includes(key))
    const inTrash = { trashed: 'true' } as const
    const trashedNotes = kinds.includes('note')
      ? await collectItems({
          page: (paging) => notes.list(session, { ...inTrash, ...paging }),
          keep: (one) => showsNote(scope, one) && fits(one),
        })
      : []
    const trashedTasks = kinds.includes('task')
      ? await collectItems({
          page: (paging) => tasks.list(session, { ...inTrash, ...paging }),
          keep: (one) => showsTask(scope, one) && fits(one),
        })
      : []
    const all = [
      ...trashedNotes.map((note) => toPlainHit('note', note, note.excerpt)),
      ...trashedTasks.map((task) => toTaskHit(task, timeZone)),
    ]
    return toCounted(all.slice(0, limit), all.length)
  }

  return {
    name: 'search',
    title: 'Search',
    description: 'Finds notes, tasks, flashcards (fact) by words, best first.',
    risk: 'read',
    returnsText: 'texts',
    input,
    output,
    async run({ query, types, limit = DEFAULT_ITEMS, filter, trashed = false }, context) {
      const words = query.match(/[^\s"]+/g) ?? []
      const kinds = KINDS.filter((kind) => (types ?? KINDS).includes(kind) && allowsKind(context.scope, kind))
      if (trashed) return listTrashed(context, kinds, words, limit)
      if (filter !== undefined) return filterNotes(context, [filter, ...words.map(toSearchPhrase)].join(' '), limit)
      const plain = toPlainWords(query)
      const found = plain === '' || kinds.length === 0 ? [] : await findBest(context, kinds.join(','), plain, limit)
      const hits: Hit[] = []
      for (const one of found) hits.push(await readHit(context, one))
      return {
        result: { items: hits.map(({ source: _, ...item }) => item) },
        sources: hits.flatMap(({ source }) => source ?? []),
      }
    },
  }
}

/** Takes the operators of the query language out of words, so that every title can be searched. */
function toPlainWords(text: string): string {
  return text
    .replace(/["()*:<>]/g, ' ')
    .replace(/(?<!\S)-+/g, '')
    .replace(/(?<!\S)(?:OR|AND|NOT)(?!\S)/g, (word) => word.toLowerCase())
    .trim()
}

/** A hit without a source: its text was not read. */
function toPlainHit(
  type: Hit['type'],
  { id, title, revision }: { readonly id: string; readonly title: string; readonly revision: number },
  preview: string,
): Hit {
  return { type, id, title: clip(title), preview: clip(preview), revision, source: null }
}

const toCounted = (hits: readonly Hit[], total: number) => ({
  result: { items: hits.map(({ source: _, ...item }) => item), total },
  sources: [],
})

function toTaskHit(task: ToolTask, timeZone: string): Hit {
  return { ...toPlainHit('task', task, task.notes), ...toDueMembers(task.due, timeZone), state: task.status }
}

function toNoteHit(found: Extract<ToolFound, { type: 'note' }>, body: string): Hit {
  const { id, title, revision, snippets, excerpt } = found
  const snippet = snippets.find(({ field }) => field === 'body')?.text
  // A snippet has spaces for line ends and tabs, so its offset is the same in both texts.
  const at = snippet === undefined ? -1 : body.replace(/[\r\n\t]/g, ' ').indexOf(snippet)
  const cited = at < 0 ? null : { type: 'note' as const, id, title, revision, text: body }
  return {
    ...toPlainHit('note', found, snippet ?? excerpt),
    source: cited && { ...cited, start: at, end: at + (snippet ?? '').length },
  }
}
