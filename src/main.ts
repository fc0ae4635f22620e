import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { createApp, createJobs } from './app'
import { readConfig } from './config'
import { openDatabase } from './db/open'
import { Meter } from './gate/counter'
import { checkFingerprint, loadSecret } from './gate/secret'
import { createScheduler } from './system/scheduler'

/** How long requests in flight may take to finish after SIGTERM. */
const DRAIN_MS = 10_000

const now = () => Date.now()
const ids = () => Bun.randomUUIDv7()
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)

async function serve(): Promise<void> {
  const config = readConfig()
  const log = pino({ level: config.LOG_LEVEL, base: null })
  mkdirSync(config.DATA_DIR, { recursive: true })
  const path = join(config.DATA_DIR, 'satchel.db')
  const secret = loadSecret(config.SATCHEL_SECRET, config.DATA_DIR, existsSync(path), random)
  // One process holds the meter, so a second server on this folder stops here, before it touches anything.
  const meter = new Meter({
    path: join(config.DATA_DIR, 'meter.db'),
    fingerprint: secret.fingerprint,
    now: now(),
    log,
    cacheEntries: config.METER_CACHE_ENTRIES,
    keyIdleDays: config.KEY_IDLE_DAYS,
  })
  const db = openDatabase(path, now(), (kept) => {
    checkFingerprint(kept, secret.fingerprint, path)
    return secret.fingerprint
  })
  const app = await createApp({ config, db, meter, secret, now, ids, log })
  const scheduler = createScheduler({ now, log, jobs: createJobs({ config, db, now }) })
  scheduler.start()
  app.listen({ hostname: config.HOST, port: config.PORT })
  log.info({ url: String(app.server?.url), data: config.DATA_DIR }, 'Satchel is ready')

  const stop = async () => {
    const force = setTimeout(() => app.server?.stop(true), DRAIN_MS)
    await app.server?.stop()
    clearTimeout(force)
    await scheduler.stop()
    meter.close()
    await db.close()
    log.info({}, 'Satchel has stopped')
    process.exit(0)
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

serve().catch((error: unknown) => {
  process.stderr.write(`Satchel cannot start. ${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
})
