/** The script of the Worker that copies a workspace; see copyInWorker. */
import { copyWorkspace } from './copy.sqlite'
import { isFullDisk } from './folder'

self.onmessage = ({ data }) => {
  try {
    copyWorkspace(data)
    postMessage(null)
  } catch (error) {
    if (isFullDisk(error)) postMessage('full')
    else postMessage(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
}
