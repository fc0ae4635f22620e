import { EraseWorkspace } from './Erase'
import { TimeSettings } from './TimeSettings'
import { UsageFigures } from './Usage'

/** What the workspace holds, its time zone and language, and the way to erase it. */
export function WorkspacePart() {
  return (
    <>
      <UsageFigures />
      <TimeSettings />
      <EraseWorkspace />
    </>
  )
}
