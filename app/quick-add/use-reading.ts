import { useEffect, useRef, useState } from 'preact/hooks'
import type { QuickParse } from '../../src/tasks/quick/parse'
import { useWorkspace } from '../data/use-workspace'
import type { readTask, Understood } from './reader'
import { readingSettings } from './reading-settings'

/** A reading that took longer waits for a pause, so that it delays no key stroke. In milliseconds. */
const QUICK_MS = 6
const PAUSE_MS = 150

interface Reader {
  readonly readTask: typeof readTask
  readonly Understood: typeof Understood
}

/** The last reading, of a text that may have changed since. */
interface Reading {
  readonly text: string
  readonly parse: QuickParse
}

/** Reads a line while it is typed. The code for it is loaded when the box is first opened. */
export function useReading(text: string, isTask: boolean, projectId: string | null) {
  const workspace = useWorkspace()
  const [reader, setReader] = useState<Reader | null>(null)
  const [failed, setFailed] = useState(false)
  const [reading, setReading] = useState<Reading | null>(null)
  const tookMs = useRef(0)
  const { task_project, task_section } = workspace.copy.shown
  useEffect(() => {
    import('./reader').then(setReader, () => setFailed(true))
  }, [])
  const readWith = ({ readTask }: Reader, text: string) =>
    readTask(text, workspace.copy, readingSettings(workspace), projectId)
  useEffect(() => {
    if (!isTask || !reader) return
    const run = () => {
      const began = performance.now()
      const parse = readWith(reader, text)
      tookMs.current = performance.now() - began
      setReading({ text, parse })
    }
    const timer = setTimeout(run, tookMs.current < QUICK_MS ? 0 : PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, isTask, projectId, reader, task_project.value, task_section.value])
  return {
    failed,
    parse: isTask && reading ? stillIn(text, reading) : null,
    Understood: reader?.Understood,
    /** The reading of a text as it is now, also if its code is still being loaded; null if it cannot be. */
    async read(text: string): Promise<QuickParse | null> {
      if (reading?.text === text) return reading.parse
      const loaded = reader ?? (await import('./reader').catch(() => null))
      return loaded && readWith(loaded, text)
    },
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
