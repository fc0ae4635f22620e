/** The task that quick add makes of a line. */
import type { QuickParse } from '../../src/tasks/quick/parse'
import type { Write } from '../data/writes'
import { say } from '../words/say'

type TaskData = Extract<Extract<Write, { type: 'task' }>['op'], { op: 'create' }>['data']

const MAX_TITLE_CHARS = 500

/**
 * The members of a new task; or a sentence why there can be none.
 * @param parse null: the text is taken as it is
 * @param projectId where it goes if the text names no project; null: the inbox
 */
export function taskOf(text: string, parse: QuickParse | null, projectId: string | null): TaskData | string {
  const title = parse?.title ?? text.trim()
  if (title === '') return say`Nothing is left for a title.`
  if ([...title].length > MAX_TITLE_CHARS)
    return say`A title has at most ${MAX_TITLE_CHARS} characters: put the rest into its notes.`
  const { project, section, ...members } = parse?.draft ?? {}
  const project_id = project?.id ?? projectId
  return {
    ...members,
    title,
    ...(project_id !== null && { project_id }),
    ...(section?.id && { section_id: section.id }),
  } as TaskData
}
