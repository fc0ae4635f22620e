import { useEffect, useRef, useState } from 'preact/hooks'
import type { Task } from '../api/types'
import { useWorkspace } from '../data/use-workspace'
import { say } from '../words/say'
import { updateOf, write } from './task-actions'

/** What is typed is sent after this pause, in milliseconds; it is stored in the browser at once. */
const PAUSE_MS = 1000

interface Options {
  /** Whether a text can be sent as it is; default: any. */
  readonly isTaken?: (text: string) => boolean
  readonly toValue?: (text: string) => string
}

/** A text of a task while it is typed: stored at each stroke, sent after a pause, undone as a whole. */
export function useDraft(
  task: Task,
  member: 'title' | 'notes',
  { isTaken = () => true, toValue = (text) => text }: Options = {},
) {
  const workspace = useWorkspace()
  const [typed, setTyped] = useState<string | null>(null)
  const before = useRef<string | null>(null)
  /** What the next text is made of. */
  const base = useRef(task)
  const end = () => {
    const old = before.current
    before.current = null
    setTyped(null)
    const now = workspace.copy.shown.task.peek().get(task.id)?.[member]
    if (old === null || now === undefined || now === old) return
    const inverse = [write({ op: 'update', id: task.id, data: { [member]: old } })]
    const words = member === 'title' ? say`Changed the title of “${old}”.` : say`Changed the notes of “${task.title}”.`
    workspace.act(words, [], inverse)
  }
  const latestEnd = useRef(end)
  latestEnd.current = end
  useEffect(() => () => latestEnd.current(), [])
  return {
    text: typed ?? task[member],
    change(text: string): void {
      if (before.current === null || base.current[member] === task[member]) base.current = task
      before.current ??= task[member]
      setTyped(text)
      if (!isTaken(text)) return
      const change = updateOf(workspace, base.current, { [member]: toValue(text) })
      base.current = { ...base.current, [member]: toValue(text) }
      workspace.outbox.add([change], PAUSE_MS)
    },
    end,
  }
}
