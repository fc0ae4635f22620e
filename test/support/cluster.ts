import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../bench/server'
import { type Engine, type EngineOptions, startPostgres, startRedis } from './engines'
import { makeFolder } from './folder'
import { MANY_CALLERS } from './keys'
import { launch, type Server, serving } from './process'

/** Several processes of Satchel behind HAProxy, on one PostgreSQL and one Redis, as compose.scale.yaml has them. */
export interface Cluster {
  /** Of HAProxy: it asks one process after the other. */
  readonly url: string
  readonly database: Engine
  readonly counters: Engine
  readonly servers: Server[]
  /** What a process needs to be one of them. */
  readonly settings: Readonly<Record<string, string>>
  /** Starts a process anew in the place of one that has ended. */
  restart(place: number): Promise<void>
  stop(): Promise<void>
}

/** Starts all of it. A commit is on disk before it is acknowledged, unlike in other tests. */
export async function startCluster(
  processes: number,
  settings: Readonly<Record<string, string>> = {},
  counterSettings: EngineOptions['settings'] = {},
): Promise<Cluster> {
  const [database, counters] = await Promise.all([
    startPostgres({ settings: { synchronous_commit: 'on' } }),
    startRedis({ settings: counterSettings }),
  ])
  const all = {
    DATABASE_URL: database.url,
    REDIS_URL: counters.url,
    SATCHEL_SECRET: 'ab'.repeat(32),
    TRUSTED_PROXIES: '127.0.0.1',
    METRICS_ALLOW: '127.0.0.1',
    ...MANY_CALLERS,
    ...settings,
  }
  const ports = Array.from({ length: processes }, freePort)
  const start = (place: number) => {
    const folder = makeFolder()
    return serving(folder, launch({ folder, settings: { ...all, PORT: String(ports[place]) } }))
  }
  const servers = await Promise.all(ports.map((_, place) => start(place)))
  const proxy = await startHaproxy(ports)
  return {
    url: proxy.url,
    database,
    counters,
    servers,
    settings: all,
    restart: async (place) => {
      servers[place] = await start(place)
    },
    stop: async () => {
      proxy.child.kill('SIGKILL')
      await Promise.all([proxy.child.exited, ...servers.map((server) => server.stop('SIGKILL'))])
      await Promise.all([database.stop(), counters.stop()])
    },
  }
}

const CONFIGURATION = join(import.meta.dir, '../../build/haproxy.cfg')

/**
 * Starts HAProxy before processes, set up as in compose.scale.yaml but for where they are found. At the socket it tells
 * what it knows of them.
 * @param check the line that says how they are checked, if another than there
 */
export async function startHaproxy(ports: readonly number[], check = 'option httpchk GET /readyz') {
  const port = freePort()
  const folder = makeFolder()
  const file = join(folder, 'haproxy.cfg')
  const socket = join(folder, 'haproxy.sock')
  const servers = ports.map((one, i) => `  server s${i} 127.0.0.1:${one}`).join('\n')
  const configuration = readFileSync(CONFIGURATION, 'utf8')
    .replace(/^resolvers .*\n.*\n/m, '')
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace('inter 1s', 'inter 200ms')
    .replace('option httpchk GET /readyz', check)
    .replace(/^ {2}server-template .*$/m, servers)
  writeFileSync(file, `global\n  stats socket ${socket}\n${configuration}`)
  const program = Bun.which('haproxy', { PATH: `${process.env.PATH}:/usr/sbin` })
  if (!program) throw new Error("HAProxy is missing: install Debian's package haproxy.")
  const child = Bun.spawn([program, '-db', '-f', file], { stdout: 'ignore', stderr: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const answers = () =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await answers())) if (child.exitCode !== null) throw new Error('HAProxy has ended.')
  return { url, socket, child }
}
