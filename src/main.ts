import { fullGC, heapSize } from 'bun:jsc'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createApp } from './app'
import { openData, readDiskSpace, runStep } from './cli/data-folder'
import { readConfig } from './config'
import { createScheduler } from './jobs/scheduler'
import { createLog } from './log/log'
import { openPages } from './system/pages'

/** Time that open requests have to finish after SIGTERM. */
const DRAIN_MS = 10_000
/**
 * The process ends this long after SIGTERM, even if something hangs: while it holds meter.db, the next one cannot
 * start. It is enough for draining requests, closing the databases and writing the log.
 */
const MAX_STOP_MS = 15_000
/** The log gets a line this long before the forced end: time enough to write it. */
const WARNING_MS = 1000

/** The interval at which the delay of the event loop is measured. It takes 0.2 % of a processor, and 1 % at 10 ms. */
const LOOP_SAMPLE_MS = 100

const now = () => Date.now()
const ticks = () => performance.now()
const ids = () => Bun.randomUUIDv7()
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)

async function serve(): Promise<void> {
  const config = readConfig()
  const { log, dropped, flush } = createLog(config.LOG_LEVEL, now)
  // All files made from here on, including those of SQLite, are readable only by their owner.
  process.umask(0o077)
  const { secret, meter, db, channel, places, close: closeData } = await openData(config, { now, ticks, random, log })
  const { app, jobs, startIndexing, imports, endStreams, close } = await createApp({
    config,
    db,
    meter,
    channel,
    places,
    secret,
    pages: await openPages(join(import.meta.dir, '../public')),
    diskSpace: () => readDiskSpace(config.DATA_DIR),
    now,
    ticks,
    ids,
    random,
    log,
    requestLog: log,
    droppedLines: dropped,
    loopDelay: monitorEventLoopDelay({ resolution: LOOP_SAMPLE_MS }),
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
    // Callers that wait for a run get its path: it continues when the server starts again.
    await imports.stop()
    await stopped
    clearTimeout(force)
    await scheduler.stop()
    await close()
    await closeData()
    log.info({}, 'Satchel has stopped')
  }
  let stopping = false
  /** Stops the server. Only the first call counts: a second one would close what the first still uses. */
  const stop = async (code: number) => {
    if (stopping) return
    stopping = true
    setTimeout(() => process.exit(1), MAX_STOP_MS)
    setTimeout(() => log.fatal({}, 'Satchel could not stop in time, and is ended'), MAX_STOP_MS - WARNING_MS)
    const failure = await drain().then(
      () => null,
      (err: unknown) => ({ err }),
    )
    if (failure) log.fatal(failure, 'Satchel could not stop in order')
    await flush()
    process.exit(failure ? 1 : code)
  }
  // Not `once`: without a handler, a second signal would end the process at once.
  process.on('SIGTERM', () => stop(0))
  process.on('SIGINT', () => stop(0))
  // After an uncaught error the state is unknown: finish the open requests, then let a supervisor restart the process.
  const fail = (err: unknown) => {
    log.fatal({ err }, 'an unexpected failure')
    stop(1)
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
}

/** The heap is collected in full after it has grown by this much. */
const MAX_HEAP_GROWTH_BYTES = 24 * 1024 * 1024
/** The interval at which the size of the heap is checked. */
const HEAP_CHECK_MS = 500

/**
 * Keeps the heap small while `isBusy`. Otherwise it would grow to several times its live size while an import reads
 * hundreds of MiB, since objects that survive a turn of the event loop are rarely collected. A full collection stops
 * the process for some tens of milliseconds, so there is none while only short requests are served. The timer does not
 * keep the process alive.
 */
function keepHeapSmall(isBusy: () => boolean): void {
  let smallest = heapSize()
  const check = () => {
    if (!isBusy()) return
    const size = heapSize()
    if (size > smallest + MAX_HEAP_GROWTH_BYTES) {
      fullGC()
      smallest = heapSize()
    } else smallest = Math.min(smallest, size)
  }
  setInterval(check, HEAP_CHECK_MS).unref()
}

serve().catch((error: unknown) => {
  process.stderr.write(`Satchel cannot start. ${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
})
