/** The resources that have a list, and what test/contract.test.ts needs of each to try the rules that all share. */
import { archiveOf, NOTE_TYPE_LINE } from '../archive/support'
import type { Answer, Shown } from './world'

/** Sends a request as one caller. */
export type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>

export type { Shown }

export interface Request {
  readonly method?: string
  readonly path?: string
  readonly body: unknown
  readonly headers?: Record<string, string>
}

/** A rule that not every resource has. */
export type Rule = 'create' | 'id' | 'read' | 'patch' | 'delete' | 'trash' | 'revision' | 'feed' | 'quota'

export interface Resource {
  /** Its type in the change feed. */
  readonly type: string
  /** The path of its list. */
  readonly path: string
  /** Makes what one needs before it can be made. Returns members that make one. */
  readonly prepare?: (send: Send) => Promise<Readonly<Record<string, unknown>>>
  /** What makes the nth one with these members, sent to the path of the list by POST unless it says otherwise. */
  readonly make: (n: number, members: Readonly<Record<string, unknown>>) => Request
  /** Finds what `make` has made where its answer is not the resource. */
  readonly made?: (send: Send, answer: Answer) => Promise<Shown>
  /** The last segment of its path; the id by default. */
  readonly nameOf?: (shown: Shown) => string
  /** A change that is one. */
  readonly change?: object
  /** Members of the answer to a creation that are not shown again. */
  readonly once?: readonly string[]
  /** The order of its list, by what `make` numbers. */
  readonly order?: 'newest first' | 'oldest first'
  /** Queries that ask for other lists, which a cursor of the plain list is no cursor of. */
  readonly otherLists?: readonly string[]
  /** The rules that it does not have, and why. The test checks that it does not have them. */
  readonly lacks?: Partial<Readonly<Record<Rule, string>>>
}

const TEXT = { 'Content-Type': 'text/plain' }

/** Makes a resource that others need. Returns its id. */
async function idOf(send: Send, path: string, body: object): Promise<string> {
  const { status, body: made } = await send('POST', path, body)
  if (status !== 201) throw new Error(`${path}: ${JSON.stringify(made)}`)
  return made.id
}

const inDeck = async (send: Send) => ({ deck_id: await idOf(send, '/api/flashcards/decks', { name: 'of the facts' }) })
const fact: Resource['make'] = (n, members) => ({
  path: '/api/flashcards/facts',
  body: { type: 'basic', front: `n${n}`, back: 'b', ...members },
})

/** What has a name and is listed by its age. */
const NAMED = {
  make: (n: number, members: object) => ({ body: { name: `n${n}`, ...members } }),
  change: { name: 'changed' },
  order: 'oldest first' as const,
  otherLists: ['trashed=true'],
}

export const RESOURCES: readonly Resource[] = [
  {
    type: 'note',
    path: '/api/notes',
    make: (n, members) => ({ body: { title: `n${n}`, ...members } }),
    change: { title: 'changed' },
    order: 'newest first',
    otherLists: ['trashed=true', 'sort=title', 'sort=updated'],
  },
  {
    type: 'task',
    path: '/api/tasks',
    make: (n, members) => ({ body: { title: `n${n}`, ...members } }),
    change: { title: 'changed' },
    otherLists: ['trashed=true'],
  },
  { type: 'task_project', path: '/api/tasks/projects', ...NAMED, otherLists: ['trashed=true', 'archived=any'] },
  {
    type: 'task_section',
    path: '/api/tasks/sections',
    prepare: async (send) => ({ project_id: await idOf(send, '/api/tasks/projects', { name: 'of the sections' }) }),
    ...NAMED,
  },
  { type: 'task_label', path: '/api/tasks/labels', ...NAMED },
  {
    type: 'task_filter',
    path: '/api/tasks/filters',
    ...NAMED,
    make: (n, members) => ({ body: { name: `n${n}`, filter: 'today', ...members } }),
  },
  {
    type: 'task_feed',
    path: '/api/tasks/feeds',
    make: (n, members) => ({ body: { name: `n${n}`, ...members } }),
    change: { name: 'changed' },
    once: ['token', 'url'],
    lacks: { trash: 'A deleted feed must stop at once for everyone who has its address.' },
  },
  {
    type: 'deck',
    path: '/api/flashcards/decks',
    ...NAMED,
    otherLists: ['trashed=true', 'parent_id=none'],
  },
  {
    type: 'fact',
    path: '/api/flashcards/facts',
    prepare: inDeck,
    make: fact,
    change: { hint: 'changed' },
    once: ['cards'],
    order: 'oldest first',
    otherLists: ['trashed=true', 'state=new'],
  },
  {
    type: 'card',
    path: '/api/flashcards/cards',
    prepare: inDeck,
    make: fact,
    made: async (_, answer) => answer.body.cards[0],
    change: { flag: 1 },
    order: 'oldest first',
    otherLists: ['trashed=true', 'state=new'],
    lacks: {
      create: 'A card is made by its fact.',
      delete: 'A card goes with its fact.',
      trash: 'A card goes with its fact.',
      quota: 'A card is counted with its fact.',
    },
  },
  {
    type: 'review',
    path: '/api/flashcards/reviews',
    prepare: async (send) => {
      const made = await send('POST', '/api/flashcards/facts', fact(0, await inDeck(send)).body)
      return { card: made.body.cards[0].id }
    },
    make: (_, { card }) => ({ path: `/api/flashcards/cards/${card}/reviews`, body: { rating: 4 } }),
    made: async (_, answer) => answer.body.review,
    order: 'newest first',
    otherLists: ['undone=false'],
    lacks: {
      create: 'An answer is given to a card.',
      patch: 'The log of answers is not rewritten.',
      delete: 'An answer is undone, and stays in the log.',
      trash: 'An answer is undone, and stays in the log.',
      quota: 'Answers have a quota of their own.',
    },
  },
  {
    type: 'note_type',
    path: '/api/flashcards/note-types',
    make: (n) => ({
      path: '/api/import',
      body: archiveOf({
        note_type: [{ ...NOTE_TYPE_LINE, id: `01890000-0000-7000-8000-0000000fff0${n}`, anki_id: n, name: `n${n}` }],
      }),
      headers: { 'Content-Type': 'application/zip' },
    }),
    made: async (send) => (await send('GET', '/api/flashcards/note-types')).body.items.at(-1),
    order: 'oldest first',
    lacks: {
      create: 'A note type comes with an import.',
      patch: 'A note type stays as Anki has it.',
      delete: 'A note type goes with the last of its facts.',
      trash: 'A note type goes with the last of its facts.',
      quota: 'A note type is counted by its bytes alone.',
    },
  },
  {
    type: 'media',
    path: '/api/flashcards/media',
    make: (n) => ({ method: 'PUT', path: `/api/flashcards/media/n${n}.txt`, body: `bytes ${n}`, headers: TEXT }),
    nameOf: ({ name }) => name,
    order: 'oldest first',
    lacks: {
      create: 'A file of flashcards is put by its name.',
      read: 'Its path answers the bytes.',
      patch: 'Other bytes are put in its place.',
      trash: 'Bytes are not kept for what is deleted.',
    },
  },
  {
    type: 'attachment',
    path: '/api/notes/attachments',
    make: (n, members) => ({
      path: `/api/notes/attachments?${new URLSearchParams({ name: `n${n}.txt`, ...(members as Record<string, string>) })}`,
      body: `bytes ${n}`,
      headers: TEXT,
    }),
    change: { name: 'changed.txt' },
    once: ['warnings'],
    order: 'oldest first',
    otherLists: ['folder=x'],
    lacks: { read: 'Its path answers the bytes.', trash: 'Bytes are not kept for what is deleted.' },
  },
  {
    type: 'import',
    path: '/api/imports',
    make: () => ({ path: '/api/notes/import', body: '# T', headers: { 'Content-Type': 'text/markdown' } }),
    made: async (send) => (await send('GET', '/api/imports')).body.items[0],
    order: 'newest first',
    lacks: {
      create: 'A run begins with the upload of a file.',
      patch: 'A run is not changed by its caller.',
      delete: 'DELETE stops a run, whose report stays for a day.',
      trash: 'DELETE stops a run, whose report stays for a day.',
      revision: 'A run goes on by itself.',
      feed: 'A run is told of by events of its own.',
      quota: 'Reports are not counted.',
    },
  },
]
