import { FOREIGN_COMMANDS } from './foreign-commands'

/**
 * For each verb with its object, in each language that says it: three commands that are read so (`+`), and three
 * questions, reports, refusals or suppositions with the same words (`-`) that must write nothing.
 */
const ENGLISH = `
= en rename note
+ rename the note Plan to Plan B
+ retitle my note "Old plan" as "New plan"
+ change the title of the note Trip to Trip to Lisbon
- how do I rename the note Plan to Plan B
- did you retitle my note "Old plan" as "New plan"?
- don't change the title of the note Trip to Trip to Lisbon

= en tag item
+ tag the note Plan with travel
+ label the task "Pay rent" as urgent-bills
+ please tag my reminder call Ann with #family
+ add the tag travel to the note Plan
+ put the label "at home" on the task Pay rent
+ add tag #family to my note Ann
- how do I tag the note Plan with travel
- never label the task "Pay rent" as urgent-bills
- did I tag my reminder call Ann with #family?
- should I add the tag travel to the note Plan?
- I told you to put the label "at home" on the task Pay rent
- why add tag #family to my note Ann

= en untag item
+ remove the tag travel from the note Plan
+ take the label "at home" off the task Pay rent
+ untag the note Ann #family
- why did you remove the tag travel from the note Plan?
- don't take the label "at home" off the task Pay rent
- what if I untag the note Ann #family

= en move note
+ move the note Plan to the folder Work/Plans
+ file my note "Soup" in the Kitchen folder
+ please put the note Trip into folder "Old trips"
- can you tell me how to move the note Plan to the folder Work/Plans
- did she file my note "Soup" in the Kitchen folder
- never put the note Trip into folder "Old trips"

= en file task
+ move the task Pay rent to the project House
+ put my task "call Ann" into the Family project
+ add the reminder water plants to project "Garden"
- how can I move the task Pay rent to the project House
- I would not put my task "call Ann" into the Family project
- did you add the reminder water plants to project "Garden"?

= en clear date
+ remove the due date of the task Pay rent
+ clear the date from my task "call Ann"
+ delete the due date for the reminder water plants
- why did you remove the due date of the task Pay rent
- don't clear the date from my task "call Ann"
- how do I delete the due date for the reminder water plants

= en restore item
+ bring the note Old plan back
+ get the task "Pay rent" back
- bring note paper to school
- bring the note about rent to the office
- get the note Plan
+ restore the note Old plan
+ bring back my task "Pay rent" from the trash
+ take the note Soup out of the trash
- how do I restore the note Old plan?
- never bring back my task "Pay rent" from the trash
- when did you take the note Soup out of the trash

= en edit note
+ replace "two eggs" with "three eggs" in the note Cake
+ change "Monday" to "Tuesday" in my note "Plan"
+ please replace "milk" by "cream" in the note Soup
+ replace the text of the note Cake with three eggs
+ set the body of my note "Plan": nothing to do
+ overwrite the whole content of the note Soup with leeks
- how do I replace "two eggs" with "three eggs" in the note Cake
- did you change "Monday" to "Tuesday" in my note "Plan"?
- don't replace "milk" by "cream" in the note Soup
- why did you replace the text of the note Cake with three eggs
- do not set the body of my note "Plan": nothing to do
- if I overwrite the whole content of the note Soup with leeks, is it lost?

= en add card
+ add a card front: capital of France, back: Paris to the deck Geography
+ create a flashcard question: how many legs has a spider, answer: eight to the deck Animals
+ make a new flash card: q: der Hund a: the dog in the deck German
+ create a flashcard "der Hund" - "the dog" in the deck "German"
+ add a card "H2O" = "water" to the deck Chemistry
+ save a new card "1066" with the answer "Hastings" in my History deck
- how do I add a card front: capital of France, back: Paris to the deck Geography?
- don't add a card front: capital of France, back: Paris to the deck Geography
- did you add a card front: capital of France, back: Paris to the deck Geography?
- why did you create a flashcard "der Hund" - "the dog" in the deck "German"?
- I told you to add a card "H2O" = "water" to the deck Chemistry
- if I save a card "1066" with the answer "Hastings" in my History deck, is it due at once?

= en store cards
+ Make cards from the note "Biology" and save them in the deck "Exam"
+ create flashcards from the note Biology and add them to my Exam deck
+ turn my note Verbs into cards and store them in the deck Spanish
+ save the note Rivers in the deck Geography
- what if I make cards from the note "Biology" and save them in the deck "Exam"?
- never create flashcards from the note Biology and add them to my Exam deck
- should I turn my note Verbs into cards and store them in the deck Spanish?

= en append note
+ Append to the note "Cake": two eggs
+ add to my note Garden: prune the roses
+ write at the end of the note "Trip": bring a hat
+ add to "Cake": two eggs
+ append to "Garden": prune the roses
+ please add to "Trip", a hat
+ add "two eggs" to the note "Cake"
+ write bring a hat in the note Trip
+ insert prune the roses at the end of my note Garden
+ add two eggs to my Cake note
+ put the gate code in the House note
+ append bring a hat to my Trip note
+ append "two eggs" to "Cake"
+ append prune the roses to "Garden"
+ please append a hat to "Trip"
- do I append to the note "Cake": two eggs?
- please don't add to my note Garden: prune the roses
- I asked you to write at the end of the note "Trip": bring a hat
- how can I add to "Cake": two eggs
- I would never append to "Garden": prune the roses
- Ann said add to "Trip", a hat
- when did I add "two eggs" to the note "Cake"?
- do not write bring a hat in the note Trip
- how do you insert prune the roses at the end of my note Garden
- why would I add two eggs to my Cake note?
- suppose I put the gate code in the House note
- did he append bring a hat to my Trip note?
- can you tell me how to append "two eggs" to "Cake"?
- never append prune the roses to "Garden"
- if I append a hat to "Trip", who sees it?

= en create note
+ Create a note called "Plan": buy paint
+ make a new note titled "Trip" saying bring a hat
+ Could you start a note named "Garden"?
+ create a note titled Garden: roses need water
+ add a note called Meter reading
+ make a note named Trip saying bring a hat
+ create a note "Plan": buy paint
+ add a new note "Garden"
+ start a note "Trip" with bring a hat
+ Take a note: the plumber comes on Monday
+ make a note that the key is with Ann
+ write down a note about the meter reading
+ create a note
+ please make a new note for me
+ start another note
+ note: the wifi password is on the fridge
+ note to self: call Ann
+ please note that the gate code is new
+ note down: the wifi code is on the router
+ jot down that the key is with Ann
+ make a note of the gate code
- Do I create a note called "Plan": buy paint?
- She told me to make a new note titled "Trip" saying bring a hat
- don't start a note named "Garden"
- how would you create a note titled Garden: roses need water
- what happens when I add a note called Meter reading?
- I don't want you to make a note named Trip saying bring a hat
- where do I create a note "Plan": buy paint?
- have you ever tried to add a new note "Garden"?
- I used to start a note "Trip" with bring a hat
- Why take a note: the plumber comes on Monday?
- did you make a note that the key is with Ann?
- if I write down a note about the meter reading, will you find it?
- how do I create a note?
- should I make a new note for me?
- don't start another note
- do you note that the gate code is new?
- what is a note to self: a message?
- I asked him to note that the gate code is new
- how can I note down: the wifi code is on the router
- I was going to jot down that the key is with Ann
- you didn't make a note of the gate code

= en trash note
+ trash the note "Old plan"
+ delete my shopping note
+ move the note Garden to the trash
- what if I trash the note "Old plan"?
- why did you delete my shopping note
- I would not move the note Garden to the trash

= en remind
+ set an alarm to remind me to drink water
+ create a new reminder to remind me about the dentist
+ send me a notification to remind me of the meeting
+ reminder to remind me to call Ann
+ a reminder to remind me to water the plants
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
+ Don't let me forget to renew the passport
+ never let me forget about the dentist
+ please do not let me forget that Ann comes at six
+ tell me to drink water in 20 minutes
+ tell me to call Ann tomorrow
+ please tell me to stretch every hour in 2 hours
+ notify me about the dentist
+ nudge me to call Ann
+ alert me that the bins go out
+ make me remember to call Ann
+ make sure I don't forget to pay the rent
+ make sure that I remember the dentist
- did I set an alarm to remind me to drink water?
- don't create a new reminder to remind me about the dentist
- how do I set up a notification to remind me of the meeting?
- is there a reminder to remind me to call Ann?
- why do I need a reminder to remind me to water the plants?
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
- why don't let me forget to renew the passport?
- did you let me forget about the dentist?
- she said don't let me forget that Ann comes at six
- did you tell me to drink water in 20 minutes?
- don't tell me to call Ann tomorrow
- why would you tell me to stretch in 2 hours
- did you notify me about the dentist?
- don't nudge me to call Ann
- why did he alert me that the bins go out
- how do I make sure I remember to call Ann
- did you make sure I don't forget to pay the rent?
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
+ Add buy milk to my to-do list
+ put cleaning on my list of things to do
+ add ask Bob how do I reset it to my todo list
+ add to my task list get carpet cleaned
+ put on my to do list: call Ann
+ write down on my list of tasks, water the plants
+ On my to do list, add exercising
+ to my task list please add call Ann
+ on my list of chores put mopping
+ I need laundry put on my list of tasks
+ get mopping added to my to do list
+ i want the dentist placed on my todo list
+ laundry needs to be on my to do list
+ make sure that the dentist needs to go on my task list
+ call Ann has to be added to my todo list
+ make sure that mopping is on my to do list
+ make sure laundry gets put on my task list
+ you make sure the dentist is added to my todo list
+ I want milk on my to do list
+ have the dentist on my task list
+ I would like laundry on my list of chores
+ can the dentist be put on my task list?
+ could milk be added to my to do list
+ may the laundry be included in my list of chores
+ update my to do list with call Ann
+ change my task list to include the dentist
+ extend my list of chores by adding mopping
+ add call Ann to tasks
+ put water the plants in my chores
+ add pay the rent as a new task
+ mark the dentist as done on my task list
+ get mopping ticked off on my list of chores
+ on my list of chores mark mopping as done
- how do I add buy milk to my to-do list?
- have i told you to put cleaning on my list of things to do
- if I add call Bob to my todo list, does he see it?
- where do I add to my task list get carpet cleaned
- don't put on my to do list: call Ann
- I asked you to write down on my list of tasks, water the plants
- on my to do list, did you add exercising?
- to my task list how do I add call Ann
- on my list of chores, don't put mopping
- do I need laundry put on my list of tasks?
- why get mopping added to my to do list
- have you ever got the dentist placed on my todo list
- why does laundry have to be on my to do list?
- who says the dentist needs to be on my task list
- what has to be added to my todo list
- did you make sure that mopping is on my to do list?
- how do I make sure laundry gets put on my task list
- I asked him to make sure the dentist is on my todo list
- have i told you to add washing dishes to my todo list
- have we got the dentist on my task list
- do I want milk on my to do list?
- should the dentist be put on my task list?
- how can milk be added to my to do list
- why would the laundry be included in my list of chores
- how do I update my to do list with call Ann
- did you change my task list to include the dentist?
- don't extend my list of chores by adding mopping
- how do I add call Ann to tasks
- don't put water the plants in my todos
- I tried to add pay the rent as a new task
- how do I mark the dentist as done on my task list
- have you got mopping ticked off on my list of chores
- on my list of chores, never mark mopping as done

= en add task
+ set a reminder for 2 pm
+ add a task: ask Bob how to reset the router
+ create a daily reminder to water the plants
+ set reminder pay taxes on monday
+ add task buy milk
+ new todo call Ann
+ how about a reminder to call Ann
+ may I have another task to water the plants
+ I need a new task to pay the rent
+ send me a reminder about the dentist
+ give me a reminder to call Ann
+ schedule reminders for the meeting
+ update my to do list
+ add to my task list
+ make a to do list
+ start a new task list for the garden
+ create my chore list
+ set the task dentist to open
- how do I set a reminder for 2 pm?
- On Fridays how do I add a task to my project?
- I never create a daily reminder to water the plants
- do I add task buy milk?
- when should I set reminder pay taxes on monday
- never add task buy milk
- do I need a reminder to call Ann?
- why would I have another task to water the plants
- I don't need a new task to pay the rent
- did you send me a reminder about the dentist?
- I said give me a reminder to call Ann, did I not
- who can schedule reminders for the meeting
- how do I update my to do list
- why can't I add to my task list
- how do I make a to do list?
- I never start a new task list for the garden
- should I create my chore list
- do not set the task dentist to open

= en choose task
+ please make a change to my list of chores
+ change the dentist on my task list
+ edit laundry on my to do list
+ fix mopping in my list of chores
- did you make a change to my list of chores?
- how do I change the dentist on my task list
- did you edit laundry on my to do list
- I would fix mopping in my list of chores

= en clear tasks
+ clear my to-do list
+ make my todo list blank
+ leave my task list empty
+ set my to do list completely clear
+ sure the to do list is empty
+ sure my task list is completely clear
+ sure my todo list is blank
- how do I clear my to-do list?
- how do I make my todo list blank
- did you leave my task list empty?
- never set my to do list completely clear
- is it sure my todo list is blank
- did you make sure my to do list is empty?
- how can I be sure my task list is clear

= en trash task
+ delete everything on my to do list
+ erase all items on my todo list
+ take doing the dishes off my todo list
+ please remove laundry from my list of chores
+ drop the dentist from my task list
+ delete the task "Old plan"
+ remove the reminder to call Ann
+ move the task dentist to the trash
+ I want laundry removed from my to do list
+ can the dentist be taken off my task list
+ get mopping deleted from my list of chores
+ from my to do list, remove laundry
+ on my task list please delete the dentist
+ off my list of chores take mopping
+ I no longer need laundry on my to do list
+ I don't want the dentist on my task list anymore
+ I do not need mopping in my list of chores
- don't delete everything on my to do list
- if I erase all items on my todo list, are they gone?
- why did you take doing the dishes off my todo list
- I told you to remove laundry from my list of chores
- what happens if I drop the dentist from my task list
- what happens when I delete the task "Old plan"?
- I told you to remove the reminder to call Ann
- never move the task dentist to the trash
- why do I want laundry removed from my to do list
- how can the dentist be taken off my task list
- have you got mopping deleted from my list of chores
- from my to do list, how do I remove laundry
- on my task list did you delete the dentist
- off my list of chores, don't take mopping
- why do I no longer need laundry on my to do list
- did I say I don't want the dentist on my task list anymore
- when will I not need mopping in my list of chores

= en complete task
+ cross laundry off my to do list
+ check washing the dishes off on my to do list
+ mark pay rent as done
+ Mark the task "Pay rent" as completed.
+ flag water the plants as finished
+ Complete the task "Pay rent"
+ check off water the plants
+ close my dentist task
+ I want laundry checked off my to do list
+ can the dentist be crossed off my task list
+ on my to do list, check off laundry
+ from my task list please cross off the dentist
- did you cross laundry off my to do list?
- don't check washing the dishes off on my to do list
- did I mark pay rent as done?
- don't mark the task "Pay rent" as completed
- I was about to flag water the plants as finished
- when did I complete the task "Pay rent"?
- I would check off water the plants
- she asked me to close my dentist task
- do I want laundry checked off my to do list
- how can the dentist be crossed off my task list
- on my to do list, how do I check off laundry
- from my task list did you cross off the dentist

= en reopen task
+ mark pay rent as not done
+ flag the report as incomplete again
+ reopen the task "Pay rent"
+ uncheck water the plants
+ restart the chore mopping
- why did you mark pay rent as not done
- if I flag the report as incomplete again, what then?
- can you tell me how to reopen the task "Pay rent"?
- never uncheck water the plants
- who could restart the chore mopping?

= en move task
+ move the task "Pay rent" to friday
+ postpone the task dentist until next week
+ push the reminder call Ann to monday
+ change the due date of the task dentist to tomorrow
+ set the deadline for the task report to Friday
+ move the date of the reminder call Ann to monday
+ reschedule "Pay rent" to 5 May at 9am
+ postpone "Dentist" until next week
+ move my "Call Ann" to monday
- why did you move the task "Pay rent" to friday
- should I postpone the task dentist until next week
- don't push the reminder call Ann to monday
- how do I change the due date of the task dentist to tomorrow
- who set the deadline for the task report to Friday
- I asked you to move the date of the reminder call Ann to monday
- did he reschedule "Pay rent" to 5 May at 9am
- if I postpone "Dentist" until next week, does it repeat?
- do not move my "Call Ann" to monday

= en rank task
+ set the priority of the task "Pay rent" to 1
+ raise the priority of the report to high
+ change the priority for dentist to low priority
+ make the task dentist low priority
+ mark the task dentist urgent
+ give the task report a high priority
- how can I set the priority of the task "Pay rent" to 1
- why raise the priority of the report to high
- I never change the priority for dentist to low
- do I make the task dentist low priority
- you should not mark the task dentist urgent
- what if we give the task report a high priority

= en rename task
+ rename the task "Pay rent" to "Pay the landlord"
+ rename task dentist to Dr. Frank
+ retitle "Report" as "Yearly report"
+ replace laundry with ironing on my to do list
+ swap the dentist for the doctor on my task list
+ change mopping to vacuuming in my list of chores
- how do I rename the task "Pay rent" to "Pay the landlord"
- did you rename task dentist to Dr. Frank
- don't retitle "Report" as "Yearly report"
- how do I replace laundry with ironing on my to do list
- did you swap the dentist for the doctor on my task list
- don't change mopping to vacuuming in my list of chores
`

const lines = (block: string, mark: string) =>
  block.split('\n').flatMap((line) => (line.startsWith(mark) ? [line.slice(mark.length)] : []))

/** By the language and the cell, such as `en rename note`. */
export const COMMANDS = `${ENGLISH.trim()}\n\n${FOREIGN_COMMANDS.trim()}`.split('\n\n').map((block) => ({
  cell: lines(block, '= ')[0] ?? '',
  commands: lines(block, '+ '),
  others: lines(block, '- '),
}))
