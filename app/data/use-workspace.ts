import { type Workspace, workspace } from './workspace'

/** The open workspace, for what is shown only while one is open. Throws if there is none: a fault of the app. */
export function useWorkspace(): Workspace {
  const open = workspace.value
  if (!open) throw new Error('no workspace is open')
  return open
}
