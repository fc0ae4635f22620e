import { Type } from '@sinclair/typebox'
import { writeInstant } from '../http/values'
import { titleKey } from '../lib/text'
import { collectedSchema, collectItems, showsFact, showsNote, showsTask, toSearchPhrase } from './find'
import { clip } from './fit'
import type { ActionTarget } from './schema'
import { closedObject } from './schema'
import type { ToolFact, ToolFoundNote, ToolNote, ToolServices, ToolTask } from './services'
import type { CitationSource } from './source'
import { citeWhole, factText, listShownFields } from './source'
import {
  allowsKind,
  choiceSchema,
  limitSchema,
  listSchema,
  type ReadTool,
  readOutput,
  type ToolContext,
  textSchema,
  wordSchema,
} from './tool'

const KINDS = ['note', 'task', 'fact'] as const
/** Items by default, and at most. */
const [DEFAULT_ITEMS, MAX_ITEMS] = [8, 20]
/** Words of a query that are searched. */
const MAX_WORDS = 16

interface Hit {
  readonly type: ActionTarget['type']
  readonly id: string
  readonly title: string
  readonly preview: string
  readonly revision: number
  readonly source: CitationSource | null
}

const input = closedObject({
  query: textSchema(300),
  types: Type.Optional(Type.Array(choiceSchema(KINDS), { maxItems: 3 })),
  limit: limitSchema(MAX_ITEMS),
  filter: Type.Optional(Type.String({ maxLength: 300, description: 'notes: tag:a folder:"b" created:2026-05' })),
  trashed: Type.Optional(Type.Boolean()),
})

const output = readOutput({
  items: listSchema({
    type: wordSchema(KINDS),
    id: Type.String(),
    title: Type.String(),
    preview: Type.String(),
    revision: Type.Integer(),
  }),
  total: Type.Optional(collectedSchema()),
})

export function searchTool({ notes, tasks, flashcards }: ToolServices): ReadTool<typeof input> {
  async function findNotes(context: ToolContext, words: readonly string[], limit: number): Promise<Hit[]> {
    const { session, scope } = context
    for (const q of listNoteQueries(words)) {
      const found = await collectItems({
        page: (paging) => notes.search(session, { q, ...paging }),
        keep: (one) => showsNote(scope, one.note),
        limit,
      })
      if (found.length > 0)
        return Promise.all(found.map(async (one) => toNoteHit(one, (await notes.get(session, one.note.id)).resource)))
    }
    return []
  }

  async function findTasks({ session, scope, timeZone, now }: ToolContext, words: readonly string[], limit: number) {
    const terms = words.map((word) => `"${word.replaceAll('\\', '\\\\')}"`)
    for (const filter of new Set([terms.join(' and '), terms.join(' or ')])) {
      const asOf = { filter, time_zone: timeZone, now: writeInstant(now) }
      const found = await collectItems({
        page: (paging) => tasks.list(session, { ...asOf, ...paging }),
        keep: (one) => showsTask(scope, one),
        limit,
      })
      if (found.length > 0) return found.map(toTaskHit)
    }
    return []
  }

  /** Finds facts with the longest word, those with most of the others first. */
  async function findFacts({ session, scope }: ToolContext, words: readonly string[], limit: number): Promise<Hit[]> {
    const [longest = ''] = words.toSorted((a, b) => b.length - a.length)
    const q = Array.from(longest).slice(0, 200).join('')
    const found = await collectItems({
      page: (paging) => flashcards.listFacts(session, { q, ...paging }),
      keep: (one) => showsFact(scope, one),
    })
    const keys = words.map(titleKey)
    const score = (fact: ToolFact) => {
      const all = titleKey([fact.front, fact.back, fact.text, ...listShownFields(fact)].join(' '))
      return keys.filter((key) => all.includes(key)).length
    }
    return found
      .map((fact) => ({ fact, score: score(fact) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ fact }) => toFactHit(fact))
  }

  /** Lists the notes of a filter, the last changed first, with their number. */
  async function filterNotes({ session, scope, timeZone }: ToolContext, q: string, limit: number) {
    if (!allowsKind(scope, 'note')) return toCounted([], 0)
    const all = await collectItems({
      page: (paging) => notes.search(session, { q, sort: '-updated', time_zone: timeZone, ...paging }),
      keep: (one) => showsNote(scope, one.note),
    })
    return toCounted(
      all.slice(0, limit).map(({ note }) => toPlainHit('note', note, note.excerpt)),
      all.length,
    )
  }

  /** Lists what is in the trash with all of the words in its title, and the number of it. */
  async function listTrashed(
    { session, scope }: ToolContext,
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
      ...trashedTasks.map((task) => toPlainHit('task', task, task.notes)),
    ]
    return toCounted(all.slice(0, limit), all.length)
  }

  const finders = { note: findNotes, task: findTasks, fact: findFacts }
  return {
    name: 'search',
    title: 'Search',
    description: 'Finds notes, tasks and flashcards by words, best first.',
    risk: 'read',
    returnsText: 'texts',
    input,
    output,
    async run({ query, types, limit = DEFAULT_ITEMS, filter, trashed = false }, context) {
      const words = (query.match(/[^\s"]+/g) ?? []).slice(0, MAX_WORDS)
      const kinds = KINDS.filter((kind) => (types ?? KINDS).includes(kind) && allowsKind(context.scope, kind))
      if (trashed) return listTrashed(context, kinds, words, limit)
      if (filter !== undefined) return filterNotes(context, [filter, ...words.map(toSearchPhrase)].join(' '), limit)
      const found: Hit[][] = []
      if (words.length > 0) for (const kind of kinds) found.push(await finders[kind](context, words, limit))
      const hits = interleave(found).slice(0, limit)
      return {
        result: { items: hits.map(({ source: _, ...item }) => item) },
        sources: hits.flatMap(({ source }) => source ?? []),
      }
    },
  }
}

/** A hit without a source: its text was not read. */
function toPlainHit(
  type: 'note' | 'task',
  { id, title, revision }: { readonly id: string; readonly title: string; readonly revision: number },
  preview: string,
): Hit {
  return { type, id, title: clip(title), preview: clip(preview), revision, source: null }
}

const toCounted = (hits: readonly Hit[], total: number) => ({
  result: { items: hits.map(({ source: _, ...item }) => item), total },
  sources: [],
})

function listNoteQueries(words: readonly string[]): string[] {
  const phrases = words.map(toSearchPhrase)
  const beginnings = words.filter((word) => /^[\p{L}\p{N}]{3,}$/u.test(word)).map((word) => `${word}*`)
  return [phrases.join(' '), phrases.join(' OR '), beginnings.join(' OR ')].filter((q) => q !== '')
}

/** Merges lists by turns: the first of each, then the second of each, and so on, so that no kind hides the others. */
function interleave<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat()
}

function toNoteHit({ note, snippets }: ToolFoundNote, { body, revision }: ToolNote): Hit {
  const { id, title } = note
  const snippet = snippets.find(({ field }) => field === 'body')?.text
  // A snippet has spaces for line ends and tabs, so its offset is the same in both texts.
  const at = snippet === undefined ? -1 : body.replace(/[\r\n\t]/g, ' ').indexOf(snippet)
  const found = at < 0 ? null : { type: 'note' as const, id, title, revision, text: body }
  return {
    type: 'note',
    id,
    title: clip(title),
    preview: clip(snippet ?? note.excerpt),
    revision,
    source: found && { ...found, start: at, end: at + (snippet ?? '').length },
  }
}

function toTaskHit(task: ToolTask): Hit {
  const { id, title, revision } = task
  return { type: 'task', id, title: clip(title), preview: clip(task.notes), revision, source: citeWhole.task(task) }
}

function toFactHit(fact: ToolFact): Hit {
  const { id, revision, type, back } = fact
  const title = clip(factText(fact))
  const preview = clip(type === 'custom' ? listShownFields(fact).slice(1).join(' ') : (back ?? ''))
  return { type: 'fact', id, title, preview, revision, source: citeWhole.fact(fact) }
}
