import { useEffect, useRef, useState } from 'preact/hooks'
import type { QuickParse, QuickSpan } from '../../src/tasks/quick/types'
import { useWorkspace } from '../data/use-workspace'
import type { readTask, spanInWords } from './read-task'
import { readingSettings } from './reading-settings'

/** A reading that took longer waits for a pause, so that it delays no key stroke. In milliseconds. */
const QUICK_MS = 6
const PAUSE_MS = 150

interface Reader {
  readonly readTask: typeof readTask
  readonly spanInWords: typeof spanInWords
}

/** The last reading, of a text that may have changed since. */
interface Reading {
  readonly text: string
  readonly parse: QuickParse
}

/** Loads the code that reads, which takes place when the box is first opened. */
const load = (): Promise<Reader> => import('./read-task')

/**
 * Reads a line while it is typed. `read` gives the reading of a text as it is now, once the code is loaded; null: it could
 * not be loaded.
 */
export function useReading(text: string, isTask: boolean, projectId: string | null) {
  const workspace = useWorkspace()
  const [reader, setReader] = useState<Reader | null>(null)
  const [failed, setFailed] = useState(false)
  const [reading, setReading] = useState<Reading | null>(null)
  const tookMs = useRef(0)
  const { task_project, task_section } = workspace.copy.shown
  useEffect(() => {
    load().then(setReader, () => setFailed(true))
  }, [])
  const readBy = (reader: Reader | null, text: string) =>
    reader?.readTask(text, workspace.copy, readingSettings(workspace), projectId) ?? null
  useEffect(() => {
    if (!isTask) return
    const run = () => {
      const began = performance.now()
      const parse = readBy(reader, text)
      tookMs.current = performance.now() - began
      setReading(parse && { text, parse })
    }
    const timer = setTimeout(run, tookMs.current < QUICK_MS ? 0 : PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, isTask, projectId, reader, task_project.value, task_section.value])
  return {
    failed,
    parse: isTask && reading ? stillIn(text, reading) : null,
    inWords: (span: QuickSpan) => reader?.spanInWords(span) ?? span.text,
    /** Whoever is quick with Enter is not taken at the letter because the code is still on its way. */
    read: async (text: string): Promise<QuickParse | null> =>
      reading?.text === text ? reading.parse : readBy(reader ?? (await load().catch(() => null)), text),
  }
}

/** A reading of an earlier text, with those parts that are still at the same place. */
function stillIn(text: string, { text: earlier, parse }: Reading): QuickParse {
  if (text === earlier) return parse
  const letters = [...text]
  const isThere = (part: { start: number; end: number; text: string }) =>
    letters.slice(part.start, part.end).join('') === part.text
  return { ...parse, spans: parse.spans.filter(isThere), warnings: parse.warnings.filter(isThere) }
}
