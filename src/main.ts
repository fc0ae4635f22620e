import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { createApp } from './app'
import { ConfigError, readConfig } from './config'
import { openDatabase } from './db/open'
import { openMeter } from './gate/counter'
import { checkFingerprint, loadSecret } from './gate/secret'
import { existsSync } from 'node:fs'

/** How long requests in flight may take to finish after SIGTERM. */
const DRAIN_MS = 10_000

const now = () => Date.now()
const ids = () => Bun.randomUUIDv7()
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)

function serve(): void {
  const config = readConfig()
  const log = pino({ level: config.LOG_LEVEL, base: null })
  mkdirSync(config.DATA_DIR, { recursive: true })
  const path = join(config.DATA_DIR, 'satchel.db')
  const secret = loadSecret(config.SATCHEL_SECRET, config.DATA_DIR, existsSync(path), random)
  // The meter comes first: it is held by one process, so a second server stops here before it touches anything.
  const meter = openMeter({ path: join(config.DATA_DIR, 'meter.db'), fingerprint: secret.fingerprint, now: now(), log, cacheEntries: config.METER_CACHE_ENTRIES, keyIdleDays: config.KEY_IDLE_DAYS })
  const db = openDatabase(path, now(), (kept) => {
    checkFingerprint(kept, secret.fingerprint, path)
    return secret.fingerprint
  })
  const app = createApp({ config, db, meter, secret, now, ids, log })
  const server = app.listen({ hostname: config.HOST, port: config.PORT }).server
  log.info({ url: String(server?.url), data: config.DATA_DIR }, 'Satchel is ready')
}

serve()
