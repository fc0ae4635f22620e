import type { Queries } from '../db/database'
import { READ_VERSION } from '../db/open'
import { requireOwnSchema } from '../db/postgres/open'
import type { RedisCommands } from '../db/redis'
import { type Diagnosis, listVersionFaults } from './data-folder'

/** What `satchel doctor` finds of PostgreSQL and Redis. */

interface ServerRow {
  readonly version: string
  readonly name: string
  readonly bytes: number
  readonly used: number
  readonly most: number
}

/** @param connections that one process has, at most @throws DatabaseUnavailable, or Error of one sentence */
export async function examinePostgres(db: Pick<Queries, 'all' | 'get'>, connections: number): Promise<Diagnosis> {
  const server = await db.get<ServerRow>(
    `SELECT current_setting('server_version') AS version, current_database() AS name,
       pg_database_size(current_database()) AS bytes, CAST(current_setting('max_connections') AS bigint) AS most,
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used`,
  )
  if (!server) throw new Error('a SELECT without FROM gave no row')
  const row = (await requireOwnSchema(db)) ? await db.get<{ version: number }>(READ_VERSION) : null
  const schema = row?.version ?? 0
  const { version, name, bytes, used, most } = server
  const faults = listVersionFaults(schema)
  if (most < 2 * connections)
    faults.push(
      `PostgreSQL takes ${most} connections, and each process has up to ${connections}: raise max_connections`,
    )
  return {
    facts: [
      `PostgreSQL ${version} has the database ${name}, ${Math.ceil(bytes / 2 ** 20)} MiB at version ${schema}.`,
      `${used} of its ${most} connections are in use.`,
    ],
    faults,
  }
}

/** Looks at Redis or Valkey. @throws RedisUnavailable */
export async function examineRedis(redis: RedisCommands): Promise<Diagnosis> {
  const info = `${await redis.send('INFO', [])}`
  const read = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]
  const policy = read('maxmemory_policy')
  const isBounded = read('maxmemory') !== '0'
  const server = read('valkey_version') ? `Valkey ${read('valkey_version')}` : `Redis ${read('redis_version')}`
  return {
    facts: [`${server} has ${read('used_memory_human')} in memory.`],
    faults:
      isBounded && policy !== 'noeviction'
        ? [`Redis drops counts when its memory is full: set maxmemory-policy to noeviction, which is ${policy}`]
        : [],
  }
}
