import { fullGC, heapSize } from 'bun:jsc'
import { createApp } from './app'
import { openFolder, readDiskSpace, runStep } from './cli/data-folder'
import { readConfig } from './config'
import { createScheduler } from './jobs/scheduler'
import { createLog } from './log/log'

/** How long requests in flight may take to finish after SIGTERM, in milliseconds. */
const DRAIN_MS = 10_000
/**
 * When the process ends after SIGTERM, even if something still hangs, in milliseconds: a process that holds meter.db keeps the
 * next one from starting. The drain, the closing of the databases and what the log takes to be written fit into it.
 */
const END_MS = 15_000
/** How long before that the log gets a line, in milliseconds: enough for the line to be written. */
const WARNING_MS = 1000

const now = () => Date.now()
const ticks = () => performance.now()
const ids = () => Bun.randomUUIDv7()
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)

async function serve(): Promise<void> {
  const config = readConfig()
  const { log, requestLog, dropped, flush } = createLog(config.LOG_LEVEL, now)
  // Whatever is made from here on, the data folder and every file of SQLite's, is for its owner alone.
  process.umask(0o077)
  const { secret, meter, db } = openFolder(config, { now, random, log })
  const { app, jobs, startIndexing, imports, endStreams, close } = await createApp({
    config,
    db,
    meter,
    secret,
    diskSpace: () => readDiskSpace(config.DATA_DIR),
    now,
    ticks,
    ids,
    random,
    log,
    requestLog,
    droppedLines: dropped,
  })
  runStep(
    `HOST ${config.HOST} with PORT ${config.PORT} cannot be listened on: it is in use, or not of this machine`,
    () => app.listen({ hostname: config.HOST, port: config.PORT }),
  )
  const scheduler = createScheduler({ now, log, jobs })
  scheduler.start()
  keepHeapSmall(imports.isBusy)
  startIndexing()
  await imports.resume()
  log.info({ url: String(app.server?.url), data: config.DATA_DIR }, 'Satchel is ready')

  const drain = async () => {
    const force = setTimeout(() => app.server?.stop(true), DRAIN_MS)
    const stopped = app.server?.stop()
    endStreams()
    // Callers who wait for a run learn where it goes on.
    await imports.stop()
    await stopped
    clearTimeout(force)
    await scheduler.stop()
    await close()
    meter.close()
    await db.close()
    log.info({}, 'Satchel has stopped')
  }
  let stopping = false
  /** Once: another signal, or a failure on the way, must not close beneath the first what it still uses. */
  const stop = async (code: number) => {
    if (stopping) return
    stopping = true
    setTimeout(() => process.exit(1), END_MS)
    setTimeout(() => log.fatal({}, 'Satchel could not stop in time, and is ended'), END_MS - WARNING_MS)
    const failure = await drain().then(
      () => null,
      (err: unknown) => ({ err }),
    )
    if (failure) log.fatal(failure, 'Satchel could not stop in order')
    await flush()
    process.exit(failure ? 1 : code)
  }
  // Not `once`: a second signal would find no handler, and end the process where it is.
  process.on('SIGTERM', () => stop(0))
  process.on('SIGINT', () => stop(0))
  // What nobody caught leaves us unsure of our state: finish what is in flight, then let a supervisor start us again.
  const fail = (err: unknown) => {
    log.fatal({ err }, 'an unexpected failure')
    stop(1)
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
}

/**
 * How much the heap may grow, in bytes, before all of it is collected, and how often that is looked at, in milliseconds.
 * Left to itself it grows to several times what is in use while an import or the index works through hundreds of MiB:
 * what lives for more than a turn of the event loop is old by then, and rarely looked at.
 */
const GROWN_BYTES = 24 * 1024 * 1024
const LOOK_MS = 500

/**
 * Keeps the heap small while `isBusy`: each collection stops everybody for some tens of milliseconds, and short requests
 * leave little behind. The process ends in spite of it.
 */
function keepHeapSmall(isBusy: () => boolean): void {
  let left = heapSize()
  const look = () => {
    if (!isBusy()) return
    const size = heapSize()
    if (size > left + GROWN_BYTES) {
      fullGC()
      left = heapSize()
    } else left = Math.min(left, size)
  }
  setInterval(look, LOOK_MS).unref()
}

serve().catch((error: unknown) => {
  process.stderr.write(`Satchel cannot start. ${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
})
