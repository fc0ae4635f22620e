import { ARCHIVE_FORMAT } from '../../src/archive/archive'
import { readDirectory, readEntryBytes, toZipSource } from '../../src/lib/zip/read'
import { contradictions } from '../support/recount'
import { type As, MANY_CALLERS, makeKey, makeWorld } from '../support/world'
import { type Entry, zipOf } from '../support/zip'

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
export type Json = any

/** What a type comes to of which there is nothing. */
export const NONE = { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 }

/** What was told of single items of a report, beside what became of them. */
export function toldIn({ items }: Json): { where: string; code: string }[] {
  return items.flatMap(({ where, warnings }: Json) => warnings.map(({ code }: Json) => ({ where, code })))
}

/** What two runs of the same must have in common. */
export function outcomeOf({ id, dry_run, items, created_at, updated_at, ...outcome }: Json): Json {
  return { ...outcome, items: items.map(({ id, ...item }: Json) => item) }
}

/** A world on a real socket, with shorthands for archives of workspaces. */
export async function makeArchiveWorld(settings: Readonly<Record<string, string>> = {}) {
  const world = await makeWorld({
    settings: { ...MANY_CALLERS, TRUSTED_PROXIES: '127.0.0.1', FREE_LIMIT_PER_HOUR: '100000', ...settings },
  })
  const base = world.listen().slice(0, -1)
  let keys = 0

  function headersOf(as: As): Record<string, string> {
    return { 'X-Forwarded-For': as.address ?? '192.0.2.1', ...(as.key === undefined ? {} : { 'X-API-Key': as.key }) }
  }

  async function post(as: As, path: string, body?: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: { ...headersOf(as), 'Content-Type': 'application/zip', ...headers },
      ...(body === undefined ? {} : { body }),
    })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Json }
  }

  async function exported(as: As, query = '') {
    const response = await fetch(`${base}/api/export${query}`, { headers: headersOf(as) })
    return new Uint8Array(await response.arrayBuffer())
  }

  return {
    ...world,
    base,
    headersOf,
    /** A caller with a workspace of its own. */
    stranger: (): As => ({ key: makeKey(++keys) }),
    exported,
    /** The files of an export, by name. */
    files: async (as: As, query = '') => filesOf(await exported(as, query)),
    /** The lines of an export, by the name of their file: equal for workspaces that are equal. */
    data: async (as: As) => dataOf(filesOf(await exported(as))),
    imported: (as: As, file: Uint8Array<ArrayBuffer>, query = '', headers = {}) =>
      post(as, `/api/import${query}`, file, headers),
    adopted: (as: As, query = '', headers = {}) => post(as, `/api/workspace/adopt${query}`, undefined, headers),
    async made(as: As, path: string, body: unknown = {}): Promise<Json> {
      const answer = await world.call(as, 'POST', path, body)
      if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
      return answer.body
    },
    seq: async (as: As): Promise<number> => (await world.call(as, 'GET', '/api/changes?limit=1')).body.latest_seq,
    /** What the workspace is said to hold. */
    async held(as: As): Promise<{ resources: number; size_bytes: number }> {
      const { resources, size_bytes } = (await world.call(as, 'GET', '/api/usage')).body.workspace
      return { resources, size_bytes }
    },
    contradictions: () => contradictions(world.folder),
  }
}

export type ArchiveWorld = Awaited<ReturnType<typeof makeArchiveWorld>>

export function filesOf(archive: Uint8Array): Map<string, string> {
  const limits = { entries: 100_000, bytes: 1e9, ratio: () => 1032 }
  return new Map(
    readDirectory(toZipSource(archive), limits).map((entry) => [
      entry.name,
      Buffer.from(readEntryBytes(toZipSource(archive), entry)).toString(),
    ]),
  )
}

function dataOf(files: ReadonlyMap<string, string>): Record<string, string[]> {
  const data = [...files].filter(([name]) => name.startsWith('data/'))
  return Object.fromEntries(data.map(([name, text]) => [name, text.split('\n')]))
}

/** An archive with these lines, as they stand or as JSON, and further entries. */
export function archiveOf(
  data: Readonly<Record<string, readonly unknown[]>>,
  entries: readonly Entry[] = [],
): Uint8Array<ArrayBuffer> {
  const manifest = { name: 'manifest.json', data: JSON.stringify({ format: ARCHIVE_FORMAT, version: 1 }) }
  const files = Object.entries(data).map(([type, lines]) => ({
    name: `data/${type}.jsonl`,
    data: lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  }))
  return zipOf([manifest, ...files, ...entries])
}

const ID = '01890000-0000-7000-8000-000000000001'
const AT = '2026-01-01T08:00:00.000Z'

/** A line of data/note_type.jsonl. */
export const NOTE_TYPE_LINE = {
  ...{ id: '01890000-0000-7000-8000-00000000fffe', revision: 1, created_at: AT, updated_at: AT },
  ...{ anki_id: 1, name: 'Words', kind: 'standard', fields: ['Front'], css: '', settings: null },
  templates: [{ name: 'Card 1', question: '{{Front}}', answer: '{{FrontSide}}' }],
}

/** A line of data/note.jsonl. */
export function noteLine(members: object = {}): Json {
  return {
    ...{ id: ID, revision: 1, created_at: AT, updated_at: AT, deleted_at: null },
    ...{ title: 'T', file_name: null, folder: null, tags: [], pinned: false, archived_at: null, source: null },
    ...{ daily_date: null, imported: null, properties: {}, body: '', ...members },
  }
}

/** A line of data/note_revision.jsonl: an old version of that note. */
export function versionLine(members: object = {}): Json {
  return {
    note_id: ID,
    revision: 1,
    last_revision: 1,
    updated_at: AT,
    label: null,
    label_revision: 1,
    body_revision: 1,
    content: { title: 'Old', folder: null, tags: [], properties: {}, body: 'old' },
    ...members,
  }
}

/** Text of this length that no compression makes small. */
export function randomText(seed: number, length: number): string {
  let text = ''
  for (let i = 0; text.length < length; i++) text += `${Bun.hash(`${seed} ${i}`).toString(36)} `
  return text.slice(0, length)
}
