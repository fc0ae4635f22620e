import { Database } from 'bun:sqlite'
import { Elysia } from 'elysia'
import type { Sought } from '../../src/chat/local'
import type { FoundNote } from '../../src/chat/quote'
import { chatRoutes } from '../../src/chat/routes'
import type { ChatAnswer, ChatRequest } from '../../src/chat/schema'
import { type ChatDependencies, type ChatService, createChat } from '../../src/chat/service'
import type { Session } from '../../src/db/database'
import { createOnce } from '../../src/http/idempotency'
import { type ProblemCode, problem, Refusal } from '../../src/http/problem'

export interface NoteDraft {
  readonly title: string
  readonly body: string
  readonly tags?: readonly string[]
}

const phrase = (term: string): string => `"${term.replaceAll('"', '""')}"`

/** Notes in a real full-text index, as the notes side has it, with one workspace. */
export class Shelf {
  private readonly db = new Database(':memory:', { strict: true })

  constructor(drafts: readonly NoteDraft[] = []) {
    this.db.run('CREATE TABLE notes (id TEXT, title TEXT, body TEXT, tags TEXT)')
    this.db.run(`CREATE VIRTUAL TABLE words USING fts5(title, body, tokenize = "porter unicode61 remove_diacritics 2")`)
    for (const draft of drafts) this.add(draft)
  }

  add({ title, body, tags = [] }: NoteDraft): string {
    const row = this.db.query('SELECT count(*) + 1 AS next FROM notes').get() as { next: number }
    const id = `00000000-0000-7000-8000-${String(row.next).padStart(12, '0')}`
    this.db
      .query('INSERT INTO notes VALUES ($1, $2, $3, $4)')
      .run({ 1: id, 2: title, 3: body, 4: JSON.stringify(tags) })
    this.db.query('INSERT INTO words (title, body) VALUES ($1, $2)').run({ 1: title, 2: body })
    return id
  }

  readonly findNotes: ChatDependencies['findNotes'] = async (_session, { terms, limit, tags, ids }) => {
    const scores = new Map<string, number>()
    for (const term of terms) for (const id of this.holding(term)) scores.set(id, (scores.get(id) ?? 0) + term.weight)
    const wanted = this.all().filter((row) => {
      const own = JSON.parse(row.tags) as string[]
      return scores.has(row.id) && (!ids || ids.includes(row.id)) && (!tags || tags.every((tag) => own.includes(tag)))
    })
    wanted.sort((a, b) => (scores.get(b.id) ?? 0) - (scores.get(a.id) ?? 0))
    return wanted.slice(0, limit).map(({ id, title, body }): FoundNote => {
      return { id, title, revision: 3, body, word_count: body.split(/\s+/).length }
    })
  }

  readonly passageCounts: ChatDependencies['passageCounts'] = async (_session, terms) => ({
    total: this.all().length,
    containing: terms.map((term) => this.holding(term).length),
  })

  /** The ids of notes with the term; of what is looked for inside words, the text itself is asked. */
  private holding({ text, match }: Sought): string[] {
    if (match === 'inside') return this.all().flatMap((row) => ((row.title + row.body).includes(text) ? [row.id] : []))
    const sql = 'SELECT n.id FROM words JOIN notes n ON n.rowid = words.rowid WHERE words MATCH $1'
    const rows = this.db.query(sql).all({ 1: phrase(text) + (match === 'start' ? '*' : '') }) as { id: string }[]
    return rows.map(({ id }) => id)
  }

  private all(): Row[] {
    return this.db.query('SELECT id, title, body, tags FROM notes ORDER BY id').all() as Row[]
  }
}

interface Row {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly tags: string
}

/** The shelf needs no database port: it is its own. A chat that touched the session's database would fail loudly. */
export const session: Session = {
  workspace: { id: '0'.repeat(32) as Session['workspace']['id'], kind: 'key' },
  get db(): never {
    throw new Error('chat reads through what it was handed, not through the database')
  },
}

/** Chat over a shelf, with a clock that goes on by 2 ms at each look and counted ids. */
export function chatOver(shelf: Shelf): ChatService {
  let time = Date.UTC(2026, 2, 1, 8, 15)
  let count = 0
  return createChat({
    findNotes: shelf.findNotes,
    passageCounts: shelf.passageCounts,
    now: () => (time += 2),
    ids: () => `00000000-0000-7000-9000-${String(++count).padStart(12, '0')}`,
  })
}

export const asking = (content: string): ChatRequest => ({ messages: [{ role: 'user', content }] })

export const ask = (shelf: Shelf, content: string): Promise<ChatAnswer> =>
  chatOver(shelf).answer(session, asking(content))

/** The code points start..end of a text. */
export const codePointsOf = (text: string, start: number, end: number): string => [...text].slice(start, end).join('')

const REFUSED: Readonly<Record<string, ProblemCode>> = { VALIDATION: 'invalid_request', PARSE: 'invalid_json' }

/** Without an Idempotency-Key it never asks for the database. */
const once = createOnce({ now: () => 0, reserve: async () => {} })

/** The routes on a real socket, with errors as the app makes them. */
export function serve(shelf: Shelf) {
  const app = new Elysia({ normalize: false })
    .onError({ as: 'global' }, ({ error, code: elysiaCode }) => {
      if (error instanceof Refusal) return problem(error, '/api/chat', 'request-1')
      const code = REFUSED[elysiaCode] ?? 'internal'
      const refusal = new Refusal(code, String(error))
      return problem(refusal, '/api/chat', 'request-1')
    })
    .use(chatRoutes({ chat: chatOver(shelf), once, session: () => session }))
    .listen({ port: 0, hostname: '127.0.0.1' })
  const post = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${app.server?.port}/api/chat`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return { post, stop: () => app.stop(true) }
}
