/** What goes in and out of a workspace: it goes on while other screens are open. */
import { type Workspace, workspace } from '../data/workspace'
import { createExporter } from './exporter'
import { createImporter } from './importer'

const made = new WeakMap<Workspace, ReturnType<typeof createTransfers>>()

function createTransfers(of: Workspace) {
  const isOpen = () => workspace.peek() === of
  return { importer: createImporter(of, isOpen), exporter: createExporter(of.api) }
}

export function transfersOf(of: Workspace): ReturnType<typeof createTransfers> {
  const known = made.get(of) ?? createTransfers(of)
  made.set(of, known)
  return known
}
