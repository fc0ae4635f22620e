import type { ChatAction, ChatUndo, UndoStep } from '../schema'

/** An undo that sends these requests, in their order; null without any. */
export function joinUndo([first, ...next]: readonly UndoStep[]): ChatUndo | null {
  return first ? { ...first, next } : null
}

/**
 * Takes back all that these actions did, the newest first. Only the first request about a resource holds its revision:
 * that request gives it a new one, which the requests after it cannot know.
 */
export function undoAll(actions: readonly ChatAction[]): ChatUndo | null {
  const steps = actions.toReversed().flatMap(({ undo }) => {
    if (!undo) return []
    const { next, ...first } = undo
    return [first, ...next]
  })
  const held = new Set<string>()
  return joinUndo(
    steps.map((step) => {
      const [resource = step.path] = ID.exec(step.path) ?? []
      if (held.has(resource)) return { ...step, if_match: null }
      held.add(resource)
      return step
    }),
  )
}

/** The first id of a path is that of its resource. */
const ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/
