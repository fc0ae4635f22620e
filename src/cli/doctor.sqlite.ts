/** `satchel doctor`: what an operator needs to know when something is odd, of the data folder and the running server. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS, readSchemaVersion } from '../db/open'
import { openSqlite } from '../db/sqlite'
import { isReadableByOthers } from '../gate/keys'
import { WARNINGS } from '../gate/warnings'
import { type FolderSettings, readDiskSpace, requireDatabase, runStep } from './data-folder'
import { ask } from './health'

interface Settings extends FolderSettings {
  readonly TRUSTED_PROXIES: readonly unknown[]
  readonly CLIENT_IP_HEADER: string
}

/** What was found, a sentence each. */
interface Findings {
  readonly facts: readonly string[]
  /** What is to be mended. */
  readonly faults: readonly string[]
  /** Why a part could not be looked at; null if all was. */
  readonly missing: string | null
}

/**
 * Looks at the data folder and at the server, by /metrics alone, so the request is not counted.
 * @param url the server
 * @param version that of this program
 * @throws Error of one sentence if there is no database, or it cannot be read
 */
export async function examine(settings: Settings, url: string, version: string): Promise<Findings> {
  const folder = examineFolder(settings)
  const server = await examineServer(url, version).catch((error: Error) => ({ ...NOTHING, missing: error.message }))
  return {
    facts: [`Satchel ${version} with Bun ${Bun.version}.`, ...folder.facts, ...believed(settings), ...server.facts],
    faults: [...folder.faults, ...server.faults],
    missing: server.missing,
  }
}

const NOTHING = { facts: [], faults: [] }

function examineFolder({ DATA_DIR }: FolderSettings): Omit<Findings, 'missing'> {
  const path = requireDatabase(DATA_DIR)
  const newest = MIGRATIONS.at(-1)?.version ?? 0
  const { schema, sqlite } = runStep(`${path} cannot be read`, () => {
    using db = openSqlite(path, 'readwrite')
    const row = db.query<{ sqlite: string }, []>('SELECT sqlite_version() AS sqlite').get()
    return { schema: readSchemaVersion(db), sqlite: row?.sqlite }
  })
  const faults = [
    ...(schema < newest
      ? [`the database is at version ${schema} of ${newest}: start this Satchel, or migrate it`]
      : []),
    ...(schema > newest
      ? [`the database is at version ${schema}, and this Satchel knows ${newest}: use the newer one`]
      : []),
    ...(isReadableByOthers(join(DATA_DIR, 'secret')) ? [WARNINGS.secret_readable] : []),
  ]
  const { free, size } = readDiskSpace(DATA_DIR)
  return {
    facts: [
      `${path} has ${inMiB(statSync(path).size)} at version ${schema}, with SQLite ${sqlite}.`,
      `The disk has ${inMiB(free)} of ${inMiB(size)} free.`,
    ],
    faults: faults.map((fault) => `${fault}.`),
  }
}

/** Says whose word about the caller counts, by the settings of this command. */
function believed({ TRUSTED_PROXIES, CLIENT_IP_HEADER }: Settings): string[] {
  return TRUSTED_PROXIES.length === 0
    ? ['No proxy is believed: a caller is the address that connects.']
    : [`The proxies in TRUSTED_PROXIES are believed, which name the caller in ${CLIENT_IP_HEADER}.`]
}

async function examineServer(url: string, version: string): Promise<Findings> {
  const { status, text } = await ask(`${url}/metrics`)
  if (status === 404)
    throw new Error(
      `The server at ${url} shows nothing to this machine: name ${new URL(url).hostname} in METRICS_ALLOW.`,
    )
  const running = /^satchel_info\{version="(.*)"\} 1$/m.exec(text)?.[1]
  if (status !== 200 || running === undefined) throw new Error(`What answers at ${url} is not Satchel, or is failing.`)
  const numberOf = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
  const [free, floor] = [numberOf('satchel_disk_free_bytes'), numberOf('satchel_disk_floor_bytes')]
  const warnings = [...text.matchAll(/^satchel_warning\{warning="(\w+)"\} 1$/gm)].map(([, name = '']) => name)
  const faults = [
    ...(running === version ? [] : [`the server is Satchel ${running}: restart it with this one`]),
    ...(free < floor
      ? [`the disk has less room than MIN_FREE_BYTES, ${inMiB(floor)}: what adds to the data is refused`]
      : []),
    ...(numberOf('satchel_meter_failing') === 1 ? ['requests cannot be counted, so all are refused: see the log'] : []),
    // That of the secret is found in the folder as it is now.
    ...warnings
      .filter((name) => name !== 'secret_readable')
      .map((name) => `${name in WARNINGS ? WARNINGS[name as keyof typeof WARNINGS] : name} (${name})`),
  ]
  return {
    facts: [`The server at ${url} is Satchel ${running}; it keeps ${inMiB(floor || 0)} of the disk free.`],
    faults: faults.map((fault) => `${fault}.`),
    missing: null,
  }
}

const inMiB = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`
