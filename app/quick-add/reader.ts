/** What quick add needs as soon as there is something to read: loaded when the box is first opened. */
export { readTask } from './read-task'
export { Understood } from './Understood'
