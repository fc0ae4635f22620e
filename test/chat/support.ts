import { Database } from 'bun:sqlite'
import { Elysia } from 'elysia'
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

/** The words of scripts without spaces cannot be found by words: the index is asked for the text itself. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

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

  readonly findNotes: ChatDependencies['findNotes'] = async (_session, { terms, match, limit, tags, ids }) => {
    const rows = terms.some((term) => UNSPACED.test(term)) ? this.containing(terms) : this.matching(terms, match)
    const wanted = rows.filter((row) => {
      const own = JSON.parse(row.tags) as string[]
      return (!ids || ids.includes(row.id)) && (!tags || tags.every((tag) => own.includes(tag)))
    })
    return wanted.slice(0, limit).map(({ id, title, body }): FoundNote => ({ id, title, revision: 3, body }))
  }

  readonly passageCounts: ChatDependencies['passageCounts'] = async (_session, terms) => ({
    total: this.all().length,
    containing: terms.map(
      (term) => (UNSPACED.test(term) ? this.containing([term]) : this.matching([term], 'all')).length,
    ),
  })

  private matching(terms: readonly string[], match: 'all' | 'any' | 'prefix'): Row[] {
    const query = terms
      .map((term) => phrase(term) + (match === 'prefix' ? '*' : ''))
      .join(match === 'all' ? ' AND ' : ' OR ')
    const sql = `SELECT n.id, n.title, n.body, n.tags FROM words JOIN notes n ON n.rowid = words.rowid
      WHERE words MATCH $1 ORDER BY bm25(words, 2.0, 1.0), n.id`
    return this.db.query(sql).all({ 1: query }) as Row[]
  }

  private containing(terms: readonly string[]): Row[] {
    const hits = (row: Row): number => terms.filter((term) => (row.title + row.body).includes(term)).length
    return this.all()
      .filter((row) => hits(row) > 0)
      .sort((a, b) => hits(b) - hits(a))
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
