/** What /metrics tells of the process and its data folder. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Disk } from './disk'
import { type Family, single } from './metrics'

interface Deps {
  readonly version: string
  readonly meter: { readonly state: { commits: number; failing: boolean; entries: number } }
  /** What is likely set up wrongly. */
  readonly warnings: ReadonlySet<string>
  /** The data folder. */
  readonly folder: string
  readonly disk: Pick<Disk, 'space'>
  /** How many lines of the log could not be written. */
  readonly droppedLines: () => number
  /** How many texts are still to be indexed for search; null while that cannot be told. */
  readonly unindexed: number | null
  /** Of embeddings: texts that wait, texts that were done, calls that failed; null where there are none. */
  readonly meant: { readonly left: number; readonly texts: number; readonly failures: number } | null
}

/** The databases and what is not moved into them yet. */
const FILES = ['satchel.db', 'satchel.db-wal', 'meter.db', 'meter.db-wal']

export function serverState({
  version,
  meter,
  warnings,
  folder,
  disk,
  droppedLines,
  unindexed,
  meant,
}: Deps): Family[] {
  const { commits, failing, entries } = meter.state
  const space = disk.space()
  /** Without a sample where it cannot be told: no number would be true. */
  const known = (name: string, help: string, value?: number | null): Family => ({
    name,
    type: 'gauge',
    help,
    samples: value == null ? [] : [{ value }],
  })
  return [
    { name: 'satchel_info', type: 'gauge', help: 'The version.', samples: [{ labels: { version }, value: 1 }] },
    {
      name: 'satchel_warning',
      type: 'gauge',
      help: 'What is likely set up wrongly; the log has it in words.',
      samples: [...warnings].map((warning) => ({ labels: { warning }, value: 1 })),
    },
    {
      name: 'satchel_database_bytes',
      type: 'gauge',
      help: 'Size of the files of the databases.',
      samples: FILES.map((file) => ({ labels: { file }, value: sizeOf(join(folder, file)) })),
    },
    known('satchel_disk_free_bytes', 'Free space of the disk that holds the data folder.', space?.free),
    known('satchel_disk_floor_bytes', 'Free space below which growth is refused: MIN_FREE_BYTES.', space?.floor),
    known('satchel_search_unindexed', 'Texts that are not in the index of search yet.', unindexed),
    known('satchel_search_unembedded', 'Texts that wait for their embeddings, as far as known.', meant?.left),
    { ...known('satchel_search_embedded_total', 'Texts that got their embeddings.', meant?.texts), type: 'counter' },
    {
      ...known('satchel_search_embedding_failures_total', 'Calls for embeddings that failed.', meant?.failures),
      type: 'counter',
    },
    single('counter', 'satchel_meter_flushes_total', 'Transactions that wrote the counts of requests.', commits),
    single('gauge', 'satchel_meter_failing', 'Whether counts cannot be written: every request gets 503.', +failing),
    single('gauge', 'satchel_meter_entries', 'Counters held in memory.', entries),
    single('counter', 'satchel_log_lines_dropped_total', 'Lines of the log that could not be written.', droppedLines()),
    single('gauge', 'process_resident_memory_bytes', 'Resident memory.', process.memoryUsage.rss()),
  ]
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
