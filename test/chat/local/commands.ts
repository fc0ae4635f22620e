import { FOREIGN_COMMANDS } from './foreign-commands'

/**
 * For each verb with its object, in each language that says it: three commands that are read so (`+`), and three
 * questions, reports, refusals or suppositions with the same words that must write nothing: behind the command, which
 * the `…` in them stands for, or on a line of their own (`-`).
 */
const ENGLISH = `
= en rename note
+ rename the note Plan to Plan B | how do I …
+ retitle my note "Old plan" as "New plan" | did you …?
+ change the title of the note Trip to Trip to Lisbon | don't …
= en tag item
+ tag the note Plan with travel | how do I …
+ label the task "Pay rent" as urgent-bills | never …
+ please tag my reminder call Ann with #family | did I …?
+ add the tag travel to the note Plan | should I …?
+ put the label "at home" on the task Pay rent | I told you to …
+ add tag #family to my note Ann | why …
= en untag item
+ remove the tag travel from the note Plan | why did you …?
+ take the label "at home" off the task Pay rent | don't …
+ untag the note Ann #family | what if I …
= en move note
+ move the note Plan to the folder Work/Plans | can you tell me how to …
+ file my note "Soup" in the Kitchen folder | did she …
+ please put the note Trip into folder "Old trips" | never …
= en file task
+ move the task Pay rent to the project House | how can I …
+ put my task "call Ann" into the Family project | I would not …
+ add the reminder water plants to project "Garden" | did you …?
= en clear date
+ remove the due date of the task Pay rent | why did you …
+ clear the date from my task "call Ann" | don't …
+ delete the due date for the reminder water plants | how do I …
= en restore item
+ bring the note Old plan back
+ get the task "Pay rent" back
+ restore the note Old plan | how do I …?
+ bring back my task "Pay rent" from the trash | never …
+ take the note Soup out of the trash | when did you …
- bring note paper to school
- bring the note about rent to the office
- get the note Plan
= en edit note
+ replace "two eggs" with "three eggs" in the note Cake | how do I …
+ change "Monday" to "Tuesday" in my note "Plan" | did you …?
+ please replace "milk" by "cream" in the note Soup | don't …
+ replace the text of the note Cake with three eggs | why did you …
+ set the body of my note "Plan": nothing to do | do not …
+ overwrite the whole content of the note Soup with leeks | if I …, is it lost?
= en add card
+ add a card front: capital of France, back: Paris to the deck Geography | how do I …? | don't … | did you …?
+ create a flashcard question: how many legs has a spider, answer: eight to the deck Animals
+ make a new flash card: q: der Hund a: the dog in the deck German
+ create a flashcard "der Hund" - "the dog" in the deck "German" | why did you …?
+ add a card "H2O" = "water" to the deck Chemistry | I told you to …
+ save a new card "1066" with the answer "Hastings" in my History deck
- if I save a card "1066" with the answer "Hastings" in my History deck, is it due at once?
= en store cards
+ Make cards from the note "Biology" and save them in the deck "Exam" | what if I …?
+ create flashcards from the note Biology and add them to my Exam deck | never …
+ turn my note Verbs into cards and store them in the deck Spanish | should I …?
+ save the note Rivers in the deck Geography
= en append note
+ Append to the note "Cake": two eggs | do I …?
+ add to my note Garden: prune the roses | please don't …
+ write at the end of the note "Trip": bring a hat | I asked you to …
+ add to "Cake": two eggs | how can I …
+ append to "Garden": prune the roses | I would never …
+ please add to "Trip", a hat | Ann said …
+ add "two eggs" to the note "Cake" | when did I …?
+ write bring a hat in the note Trip | do not …
+ insert prune the roses at the end of my note Garden | how do you …
+ add two eggs to my Cake note | why would I …?
+ put the gate code in the House note | suppose I …
+ append bring a hat to my Trip note | did he …?
+ append "two eggs" to "Cake" | can you tell me how to …?
+ append prune the roses to "Garden" | never …
+ please append a hat to "Trip" | if I …, who sees it?
= en create note
+ Create a note called "Plan": buy paint | Do I …?
+ make a new note titled "Trip" saying bring a hat | She told me to …
+ Could you start a note named "Garden"?
+ create a note titled Garden: roses need water | how would you …
+ add a note called Meter reading | what happens when I …?
+ make a note named Trip saying bring a hat | I don't want you to …
+ create a note "Plan": buy paint | where do I …?
+ add a new note "Garden" | have you ever tried to …?
+ start a note "Trip" with bring a hat | I used to …
+ Take a note: the plumber comes on Monday | Why …?
+ make a note that the key is with Ann | did you …?
+ write down a note about the meter reading | if I …, will you find it?
+ create a note | how do I …?
+ please make a new note for me | should I …?
+ start another note | don't …
+ note: the wifi password is on the fridge
+ note to self: call Ann
+ please note that the gate code is new | do you …? | I asked him to …
+ note down: the wifi code is on the router | how can I …
+ jot down that the key is with Ann | I was going to …
+ make a note of the gate code | you didn't …
- don't start a note named "Garden"
- what is a note to self: a message?
= en trash note
+ trash the note "Old plan" | what if I …?
+ delete my shopping note | why did you …
+ move the note Garden to the trash | I would not …
= en remind
+ set an alarm to remind me to drink water | did I …?
+ create a new reminder to remind me about the dentist | don't …
+ send me a notification to remind me of the meeting
+ reminder to remind me to call Ann | is there a …?
+ a reminder to remind me to water the plants | why do I need …?
+ please, a reminder to remind me to stretch
+ Remind me to call Ann tomorrow at 9am
+ could you remind me about the dentist?
+ remind me on Friday to ask how I can renew the passport
+ let me be reminded to call Ann
+ I have to be notified about the dentist
+ let me get reminded of the meeting
+ I want to be reminded to stretch
+ I would like to be notified about the rent
+ I need to be reminded that the bins go out
+ Don't let me forget to renew the passport | why …?
+ never let me forget about the dentist
+ please do not let me forget that Ann comes at six
+ tell me to drink water in 20 minutes | did you …?
+ tell me to call Ann tomorrow | don't …
+ please tell me to stretch every hour in 2 hours
+ notify me about the dentist | did you …?
+ nudge me to call Ann | don't …
+ alert me that the bins go out | why did he …
+ make me remember to call Ann
+ make sure I don't forget to pay the rent | did you …?
+ make sure that I remember the dentist
- how do I set up a notification to remind me of the meeting?
- I don't want a reminder to remind me to stretch
- did you remind me to call Ann?
- please don't remind me about the dentist
- I told you to remind me on Friday to renew the passport
- do I get reminded to call Ann?
- when will I be notified about the dentist?
- I don't want to get reminded of the meeting
- am I going to be reminded to stretch?
- why would I want to be notified about the rent?
- I never want to be reminded that the bins go out
- did you let me forget about the dentist?
- she said don't let me forget that Ann comes at six
- why would you tell me to stretch in 2 hours
- how do I make sure I remember to call Ann
- what would make me remember to call the dentist
= en behind a lead
+ At 4 tomorrow afternoon, remind me to start the oven
+ on Fridays remind me to water the plants
+ if it rains tomorrow, remind me to take an umbrella
+ I have to call Ann so remind me
+ i have to take out the bins, so please remind me about it
+ I have a dentist appointment so could you remind me
+ I need to take out the trash, please remind me
+ Water the plants on Sunday, remind me
+ the library books are due on Monday, remind me
+ I need to do dishes, so add it to my to do list
+ I have to call Ann so please put that on my task list
+ wash the car, and add it to my todo list
+ on Friday set a reminder to call Ann
+ tomorrow at 9am please add a task to pay the rent
+ every week create a new reminder to water the plants
+ my car is at the garage; remind me to fetch it
+ we're out of milk, please remind me to buy some
+ I'm at the dentist at 4, so remind me to leave early
+ I have to call Ann. Please set a reminder
+ my rent is due on Friday, create a reminder for it
+ there's a meeting at 4. set up a reminder for that
+ I do not need any of it so just clear my to do list
+ I don't want to see this so delete my task list
+ I don't care about them so empty out my todo list
+ I just finished mowing the lawn, so cross that off my to do list
+ I've done the dishes so mark it off my task list
+ I completed the report, please check it off
+ I no longer need to call Ann, take it off my to do list
+ I don't have to pay the rent so remove that from my task list
+ I do not want to mow the lawn so please delete it from my todo list
+ the laundry is done, cross it off my to do list
+ mopping has been finished so check it off
+ the report is complete, please take it off my task list
+ I finished the laundry, so delete it from my to do list
+ I'm done with mopping, please remove it from my task list
+ I've just completed the report so take it off my todo list
+ I already walked the dog, so take it off my to do list
+ I've already paid the rent, please cross it off
+ I just called Ann so check it off
- I have to have Bob remind me to call Ann
- Bread put it on my list
- The bins go out. It rains, so remind me
- Milk is out! Bread too, remind me
- the whole family of my neighbour from the second floor of the old house behind the church comes for a dinner with us on Friday night, remind me
- At 4 tomorrow afternoon how do I let you remind me to start the oven?
- on Fridays do not remind me to water the plants
- on Monday did you remind me to take an umbrella?
- do I need to call Ann and did you remind me
- I have to ask how you remind me
- Ann asked, I need to call, so do not remind me
- Who takes out the trash, did you remind me
- the plants, why did you remind me
- the library books are due, don't remind me
- do I need to do dishes, or did you add it to my to do list?
- how do I call Ann so it can put that on my task list
- wash the car, but don't add it to my todo list
- on Friday how do I set a reminder to call Ann
- tomorrow at 9am should I add a task to pay the rent?
- every week I forgot to create a new reminder to water the plants
- my car is at the garage, did you remind me to fetch it
- we're out of milk, why did you not remind me to buy some
- I'm at the dentist at 4, so do not remind me to leave early
- do I have to call Ann, and how do I set a reminder
- my rent is due, did I create a reminder for it
- there's a meeting at 4 but don't set up a reminder for that
- I do not need any of it so do not clear my to do list
- I don't see how to delete my task list
- I don't care how you empty out my todo list
- did I finish mowing the lawn, and how do I cross that off my to do list
- I've done the dishes so why did you mark it off my task list
- I completed the report, don't check it off
- do I no longer need to call Ann, or why did you take it off my to do list
- I don't have to pay the rent so how do I remove that from my task list
- I do not want to mow the lawn so do not delete it from my todo list
- is the laundry done, did you cross it off my to do list
- the mopping has been finished so why did you check it off
- the report is complete, don't take it off my task list
- have I finished the laundry, or did you delete it from my to do list
- I'm done with mopping, how do I remove it from my task list
- I've just completed the report so don't take it off my todo list
- I already walked the dog, so why did you take it off my to do list
- I've already paid the rent, did you cross it off
- I just called Ann so do not check it off
= en list task
+ Add buy milk to my to-do list | how do I …?
+ put cleaning on my list of things to do | have i told you to …
+ add ask Bob how do I reset it to my todo list
+ add to my task list get carpet cleaned | where do I …
+ put on my to do list: call Ann | don't …
+ write down on my list of tasks, water the plants | I asked you to …
+ On my to do list, add exercising
+ to my task list please add call Ann
+ on my list of chores put mopping
+ I need laundry put on my list of tasks
+ get mopping added to my to do list | why …
+ i want the dentist placed on my todo list
+ laundry needs to be on my to do list
+ make sure that the dentist needs to go on my task list
+ call Ann has to be added to my todo list
+ make sure that mopping is on my to do list | did you …?
+ make sure laundry gets put on my task list | how do I …
+ you make sure the dentist is added to my todo list
+ I want milk on my to do list
+ have the dentist on my task list
+ I would like laundry on my list of chores
+ can the dentist be put on my task list?
+ could milk be added to my to do list
+ may the laundry be included in my list of chores
+ update my to do list with call Ann | how do I …
+ change my task list to include the dentist | did you …?
+ extend my list of chores by adding mopping | don't …
+ add call Ann to tasks | how do I …
+ put water the plants in my chores
+ add pay the rent as a new task | I tried to …
+ mark the dentist as done on my task list | how do I …
+ get mopping ticked off on my list of chores
+ on my list of chores mark mopping as done
- if I add call Bob to my todo list, does he see it?
- on my to do list, did you add exercising?
- to my task list how do I add call Ann
- on my list of chores, don't put mopping
- do I need laundry put on my list of tasks?
- have you ever got the dentist placed on my todo list
- why does laundry have to be on my to do list?
- who says the dentist needs to be on my task list
- what has to be added to my todo list
- I asked him to make sure the dentist is on my todo list
- have i told you to add washing dishes to my todo list
- have we got the dentist on my task list
- do I want milk on my to do list?
- should the dentist be put on my task list?
- how can milk be added to my to do list
- why would the laundry be included in my list of chores
- don't put water the plants in my todos
- have you got mopping ticked off on my list of chores
- on my list of chores, never mark mopping as done
= en add task
+ set a reminder for 2 pm | how do I …?
+ add a task: ask Bob how to reset the router
+ create a daily reminder to water the plants | I never …
+ set reminder pay taxes on monday | when should I …
+ add task buy milk | do I …? | never …
+ new todo call Ann
+ how about a reminder to call Ann
+ may I have another task to water the plants
+ I need a new task to pay the rent
+ send me a reminder about the dentist | did you …?
+ give me a reminder to call Ann | I said …, did I not
+ schedule reminders for the meeting | who can …
+ update my to do list | how do I …
+ add to my task list | why can't I …
+ make a to do list | how do I …?
+ start a new task list for the garden | I never …
+ create my chore list | should I …
+ set the task dentist to open | do not …
- On Fridays how do I add a task to my project?
- do I need a reminder to call Ann?
- why would I have another task to water the plants
- I don't need a new task to pay the rent
= en choose task
+ please make a change to my list of chores | did you …?
+ change the dentist on my task list | how do I …
+ edit laundry on my to do list | did you …
+ fix mopping in my list of chores | I would …
= en clear tasks
+ clear my to-do list | how do I …?
+ make my todo list blank | how do I …
+ leave my task list empty | did you …?
+ set my to do list completely clear | never …
+ sure the to do list is empty
+ sure my task list is completely clear
+ sure my todo list is blank | is it …
- did you make sure my to do list is empty?
- how can I be sure my task list is clear
= en trash task
+ delete everything on my to do list | don't …
+ erase all items on my todo list | if I …, are they gone?
+ take doing the dishes off my todo list | why did you …
+ please remove laundry from my list of chores | I told you to …
+ drop the dentist from my task list | what happens if I …
+ delete the task "Old plan" | what happens when I …?
+ remove the reminder to call Ann | I told you to …
+ move the task dentist to the trash | never …
+ I want laundry removed from my to do list
+ can the dentist be taken off my task list | how …
+ get mopping deleted from my list of chores
+ from my to do list, remove laundry
+ on my task list please delete the dentist
+ off my list of chores take mopping
+ I no longer need laundry on my to do list
+ I don't want the dentist on my task list anymore
+ I do not need mopping in my list of chores
- why do I want laundry removed from my to do list
- have you got mopping deleted from my list of chores
- from my to do list, how do I remove laundry
- on my task list did you delete the dentist
- off my list of chores, don't take mopping
- why do I no longer need laundry on my to do list
- did I say I don't want the dentist on my task list anymore
- when will I not need mopping in my list of chores
= en complete task
+ cross laundry off my to do list | did you …?
+ check washing the dishes off on my to do list | don't …
+ mark pay rent as done | did I …?
+ Mark the task "Pay rent" as completed.
+ flag water the plants as finished | I was about to …
+ Complete the task "Pay rent" | when did I …?
+ check off water the plants | I would …
+ close my dentist task | she asked me to …
+ I want laundry checked off my to do list
+ can the dentist be crossed off my task list | how …
+ on my to do list, check off laundry
+ from my task list please cross off the dentist
- don't mark the task "Pay rent" as completed
- do I want laundry checked off my to do list
- on my to do list, how do I check off laundry
- from my task list did you cross off the dentist
= en reopen task
+ mark pay rent as not done | why did you …
+ flag the report as incomplete again | if I …, what then?
+ reopen the task "Pay rent" | can you tell me how to …?
+ uncheck water the plants | never …
+ restart the chore mopping | who could …?
= en move task
+ move the task "Pay rent" to friday | why did you …
+ postpone the task dentist until next week | should I …
+ push the reminder call Ann to monday | don't …
+ change the due date of the task dentist to tomorrow | how do I …
+ set the deadline for the task report to Friday | who …
+ move the date of the reminder call Ann to monday | I asked you to …
+ reschedule "Pay rent" to 5 May at 9am | did he …
+ postpone "Dentist" until next week | if I …, does it repeat?
+ move my "Call Ann" to monday | do not …
= en rank task
+ set the priority of the task "Pay rent" to 1 | how can I …
+ raise the priority of the report to high | why …
+ change the priority for dentist to low priority
+ make the task dentist low priority | do I …
+ mark the task dentist urgent | you should not …
+ give the task report a high priority | what if we …
- I never change the priority for dentist to low
= en rename task
+ rename the task "Pay rent" to "Pay the landlord" | how do I …
+ rename task dentist to Dr. Frank | did you …
+ retitle "Report" as "Yearly report" | don't …
+ replace laundry with ironing on my to do list | how do I …
+ swap the dentist for the doctor on my task list | did you …
+ change mopping to vacuuming in my list of chores | don't …
`

const lines = (block: string, mark: string) =>
  block.split('\n').flatMap((line) => (line.startsWith(mark) ? [line.slice(mark.length)] : []))
/** A command within a sentence: without a courtesy, and with a small letter first. */
const bare = (command: string) =>
  command.replace(/^(?:please|bitte) /, '').replace(/^./, (first) => first.toLowerCase())

/** By the language and the cell, such as `en rename note`. */
export const COMMANDS = `${ENGLISH}${FOREIGN_COMMANDS}`
  .split(/^= /m)
  .slice(1)
  .map((block) => {
    const rows = lines(block, '+ ').map((line) => line.split(' | '))
    const about = rows.flatMap(([command = '', ...sentences]) =>
      sentences.map((one) => one.replace('…', bare(command))),
    )
    return {
      cell: block.slice(0, block.indexOf('\n')),
      commands: rows.map(([command = '']) => command),
      others: [...about, ...lines(block, '- ')],
    }
  })
