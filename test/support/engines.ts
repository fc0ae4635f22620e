import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RedisClient, SQL } from 'bun'
import { freePort } from '../../bench/server'
import { TEMPORARY } from './temporary'

/** PostgreSQL and Valkey or Redis as processes of our own, on free ports of 127.0.0.1 and as a user without privileges. */

/** Where Debian puts a folder for each version of PostgreSQL. */
const DEBIAN = '/usr/lib/postgresql'
const OLDEST_VERSION = 15
/** How often another port is tried where somebody took the one that was free. */
const TRIES = 5

/** For tests: nothing waits for the disk, and nothing happens at a time of its own. A crash loses the last commits. */
const POSTGRES_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_connections: '600',
  shared_buffers: '128MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
}

/** For tests: all is in memory, and a restart forgets it. */
const REDIS_SETTINGS = { save: '', appendonly: 'no', daemonize: 'no', databases: '1000' }

export interface EngineOptions {
  /** Settings of the engine by its own names, over those for tests. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface Engine extends AsyncDisposable {
  /** With user, password and port, which stay the same over a restart. */
  readonly url: string
  /** Of its main process; another one after a restart. */
  readonly pid: number
  /** Ends it in order if it runs, and starts it again on the same folder and port. @throws Error if it does not start */
  restart(): Promise<void>
  /** Ends it at once, as a crash would. `restart` brings it back. */
  kill(): Promise<void>
  /** Lets it hang: its connections stay open, and nothing is answered. */
  pause(): void
  resume(): void
  /** Ends it in order if it runs, and removes its folder. */
  stop(): Promise<void>
}

/** Where engines are looked for; tests say otherwise. */
export interface Places {
  /** The folder with one folder for each version of PostgreSQL. */
  readonly debian?: string
  /** Folders with a colon between them. */
  readonly path?: string
}

/**
 * The folder of `initdb` and `postgres`, of the newest version that Debian has put in its place, else on PATH.
 * @throws Error with the packages' names where there is none of version 15 or newer
 */
export function findPostgres({ debian = DEBIAN, path = process.env.PATH ?? '' }: Places = {}): string {
  const versions = existsSync(debian) ? readdirSync(debian).map(Number) : []
  const newestFirst = versions.filter((version) => version >= OLDEST_VERSION).sort((a, b) => b - a)
  const folders = [...newestFirst.map((version) => join(debian, String(version), 'bin')), ...path.split(':')]
  const found = folders.find((folder) => hasPrograms(folder) && versionOf(folder) >= OLDEST_VERSION)
  if (!found) throw missing(`PostgreSQL ${OLDEST_VERSION} or newer`)
  return found
}

/** The program of Valkey, else of Redis. @throws Error with the packages' names where there is neither */
export function findRedis({ path = process.env.PATH ?? '' }: Places = {}): string {
  const program = Bun.which('valkey-server', { PATH: path }) ?? Bun.which('redis-server', { PATH: path })
  if (!program) throw missing('Valkey or Redis')
  return program
}

/** Makes an empty cluster and starts it. @throws Error if a program is missing, or it does not start */
export async function startPostgres({ settings = {} }: EngineOptions = {}): Promise<Engine> {
  const programs = findPostgres()
  const user = userFor('postgres')
  const folder = makeFolder('satchel-postgres-', user)
  const password = crypto.randomUUID()
  try {
    makeCluster(programs, folder, user, password)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  const values = Object.entries({ ...POSTGRES_SETTINGS, unix_socket_directories: folder, ...settings })
  const flags = values.flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return runEngine({
    name: 'PostgreSQL',
    folder,
    user,
    command: (port) => [
      join(programs, 'postgres'),
      '-D',
      join(folder, 'data'),
      '-h',
      '127.0.0.1',
      '-p',
      `${port}`,
      ...flags,
    ],
    url: (port) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    // Its "fast" mode does not wait for clients, its "immediate" one writes nothing down.
    signals: { inOrder: 'SIGINT', asCrash: 'SIGQUIT' },
    answers: answersSql,
  })
}

/** Starts an empty Valkey or Redis. @throws Error if the program is missing, or does not start */
export function startRedis({ settings = {} }: EngineOptions = {}): Promise<Engine> {
  const program = findRedis()
  const user = userFor('nobody')
  const folder = makeFolder('satchel-redis-', user)
  const flags = Object.entries({ ...REDIS_SETTINGS, dir: folder, ...settings }).flatMap(([name, value]) => [
    `--${name}`,
    value,
  ])
  return runEngine({
    name: 'Redis',
    folder,
    user,
    command: (port) => [program, '--bind', '127.0.0.1', '--port', `${port}`, ...flags],
    url: (port) => `redis://127.0.0.1:${port}`,
    signals: { inOrder: 'SIGTERM', asCrash: 'SIGKILL' },
    answers: answersRedis,
  })
}

interface Description {
  readonly name: string
  readonly folder: string
  readonly user: User | null
  command(port: number): string[]
  url(port: number): string
  readonly signals: { readonly inOrder: NodeJS.Signals; readonly asCrash: NodeJS.Signals }
  /** Whether it is the process `pid` that serves there. */
  answers(url: string, pid: number): Promise<boolean>
}

async function runEngine(engine: Description): Promise<Engine> {
  let port = freePort()
  let child = await start(engine, port)
  for (let tries = 1; !child && tries < TRIES; tries++) {
    port = freePort()
    child = await start(engine, port)
  }
  if (!child) {
    const log = readLog(engine)
    rmSync(engine.folder, { recursive: true, force: true })
    throw new Error(`${engine.name} does not start: ${log}`)
  }
  let running = child
  const end = async (signal: NodeJS.Signals) => {
    running.kill(signal)
    await running.exited
  }
  const stop = async () => {
    await end(engine.signals.inOrder)
    rmSync(engine.folder, { recursive: true, force: true })
  }
  return {
    url: engine.url(port),
    get pid() {
      return running.pid
    },
    restart: async () => {
      await end(engine.signals.inOrder)
      const next = await start(engine, port)
      if (!next) throw new Error(`${engine.name} does not start again: ${readLog(engine)}`)
      running = next
    },
    kill: () => end(engine.signals.asCrash),
    pause: () => running.kill('SIGSTOP'),
    resume: () => running.kill('SIGCONT'),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Starts it and asks until it answers. @returns null if it ends before, as it does where the port is taken */
async function start(engine: Description, port: number): Promise<Bun.Subprocess | null> {
  const log = Bun.file(join(engine.folder, 'log'))
  const command = asUser(engine.user, engine.signals.inOrder, engine.command(port))
  // In a session of its own: what a terminal interrupts is us, and we end it when nobody needs it any more.
  const child = Bun.spawn(command, { cwd: engine.folder, detached: true, stdin: 'ignore', stdout: log, stderr: log })
  while (child.exitCode === null && child.signalCode === null)
    if (await engine.answers(engine.url(port), child.pid)) return child
  return null
}

function readLog({ folder }: Description): string {
  return readFileSync(join(folder, 'log'), 'utf8').trim()
}

/** Whom an engine runs as in place of us. */
interface User {
  readonly uid: number
  readonly gid: number
}

/** Root lends its engines to somebody without privileges, which PostgreSQL insists on; others run them as themselves. */
function userFor(name: string): User | null {
  if (process.getuid?.() !== 0) return null
  const number = (flag: string) => Number(Bun.spawnSync(['id', flag, name]).stdout.toString())
  return { uid: number('-u'), gid: number('-g') }
}

/** What runs a command as `user`; it gets the signal when we are killed without a chance to end it. */
function asUser(user: User | null, signal: NodeJS.Signals, command: readonly string[]): string[] {
  const privileges = user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : []
  return ['setpriv', ...privileges, '--pdeathsig', signal.slice('SIG'.length), ...command]
}

function makeFolder(prefix: string, user: User | null): string {
  const folder = mkdtempSync(join(TEMPORARY, prefix))
  if (user) chownSync(folder, user.uid, user.gid)
  return folder
}

/**
 * A cluster that sorts by a language, unlike SQLite and as most servers do, and lets nobody in without the password.
 */
function makeCluster(programs: string, folder: string, user: User | null, password: string): void {
  const secret = join(folder, 'password')
  writeFileSync(secret, password, { mode: 0o600 })
  if (user) chownSync(secret, user.uid, user.gid)
  const access = ['--username=postgres', `--pwfile=${secret}`, '--auth=scram-sha-256']
  const text = ['--locale=C', '--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en-US']
  const command = [join(programs, 'initdb'), '--no-sync', '-D', join(folder, 'data'), ...access, ...text]
  const { success, stderr } = Bun.spawnSync(asUser(user, 'SIGINT', command), { cwd: folder, stdout: 'ignore' })
  if (!success) throw new Error(`initdb makes no cluster: ${stderr.toString()}`)
}

async function answersSql(url: string): Promise<boolean> {
  const sql = new SQL({ url, max: 1 })
  try {
    await sql`SELECT 1`
    return true
  } catch {
    return false
  } finally {
    await sql.close({ timeout: 0 })
  }
}

/** Somebody else's Redis may have the port, and asks for no password. */
async function answersRedis(url: string, pid: number): Promise<boolean> {
  const redis = new RedisClient(url, { autoReconnect: false })
  try {
    const info: unknown = await redis.send('INFO', ['server'])
    return String(info).includes(`\nprocess_id:${pid}\r`)
  } catch {
    return false
  } finally {
    redis.close()
  }
}

function hasPrograms(folder: string): boolean {
  return existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'))
}

/** @returns the first number of its version, NaN where it does not say one */
function versionOf(folder: string): number {
  const said = Bun.spawnSync([join(folder, 'postgres'), '--version']).stdout.toString()
  return Number(/\(PostgreSQL\) (\d+)/.exec(said)?.[1])
}

function missing(what: string): Error {
  return new Error(`${what} is missing: install Debian's packages postgresql and redis-server.`)
}
