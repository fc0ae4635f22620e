import { Database as Sqlite } from 'bun:sqlite'
import { join } from 'node:path'
import { createScheduler } from '../../src/system/scheduler'
import { type As, makeKey, makeWorld } from '../support/world'

/** A world without limits to requests, with shorthands for what these tests do all the time. */
export async function makeHistoryWorld() {
  const world = await makeWorld({
    settings: {
      API_LIMIT_PER_HOUR: '1000000',
      NETWORK_CEILING_PER_HOUR: '0',
      NEW_KEYS_PER_HOUR: '0',
      NEW_KEYS_PER_DAY: '0',
    },
  })
  let keys = 0

  /** All pages of a list. */
  async function all(me: As, path: string) {
    const items = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await world.call(me, 'GET', `${path}?limit=200${cursor && `&cursor=${cursor}`}`)
      items.push(...body.items)
      cursor = body.next_cursor
    }
    return items
  }

  return {
    ...world,
    all,
    /** A caller with a workspace of its own. */
    stranger: () => ({ key: makeKey(++keys) }),
    /** The numbers of the revisions that a note has, newest first. */
    async numbers(me: As, note: { id: string }): Promise<number[]> {
      return (await all(me, `/api/notes/${note.id}/revisions`)).map(({ revision }: { revision: number }) => revision)
    },
    /** Runs the jobs, as if the server had just been started. */
    async runJobs() {
      const { jobs, log } = world
      await createScheduler({ now: () => world.clock.now, log, jobs }).tick()
    },
    /** What the workspaces are said to hold in bytes, and what they hold when it is counted anew. */
    bytes(): { kept: unknown[]; counted: unknown[] } {
      const db = new Sqlite(join(world.folder, 'satchel.db'), { readonly: true })
      const kept = db.query('SELECT id, size_bytes AS n FROM workspaces ORDER BY id').all()
      const counted = db.query(RECOUNT).all()
      db.close()
      return { kept, counted }
    },
  }
}

const octets = (...columns: string[]) =>
  columns.map((column) => `coalesce(length(CAST(${column} AS BLOB)), 0)`).join(' + ')
const note = (key: string) => `(SELECT workspace FROM notes WHERE notes.key = ${key})`
const RECOUNT = `
  SELECT workspaces.id, coalesce(sum(part.n), 0) AS n FROM workspaces LEFT JOIN (
    SELECT workspace, ${octets('title', 'folder', 'tags', 'properties', 'body')} AS n
      FROM notes JOIN note_bodies USING (key)
    UNION ALL SELECT workspace, ${octets('title', 'folder', 'tags', 'properties', 'label')} FROM note_revisions
    UNION ALL SELECT ${note('note_revision_bodies.key')}, ${octets('body')} FROM note_revision_bodies
    UNION ALL SELECT workspace, ${octets('headers', 'body')} FROM idempotency
  ) AS part ON part.workspace = workspaces.id GROUP BY workspaces.id ORDER BY workspaces.id`
