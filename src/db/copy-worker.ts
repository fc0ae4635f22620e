/** The script of the Worker that copies a workspace; see copyInWorker. */
import { copyWorkspace } from './copy.sqlite'

self.onmessage = ({ data }) => {
  try {
    copyWorkspace(data)
    postMessage(null)
  } catch (error) {
    if (error instanceof Error)
      postMessage({ message: error.stack ?? error.message, code: 'code' in error && error.code })
    else postMessage({ message: String(error) })
  }
}
