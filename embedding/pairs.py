"""Our own sentence pairs, on which an embedder nobody has calibrated yet is calibrated.

Every entry of a list is about something else than all other entries, so any two
sentences of different entries are unrelated.
"""

from __future__ import annotations

Pairs = tuple[tuple[str, str], ...]

REWORDED: Pairs = (
    ("The nightly backup job runs at two in the morning.", "Backups are taken every night at 2 am."),
    ("Maria is allergic to peanuts.", "Maria has a peanut allergy."),
    ("We deploy to production only from the main branch.", "Production deployments are made from main only."),
    ("He prefers tea over coffee in the afternoon.", "In the afternoon he would rather drink tea than coffee."),
    ("The invoice service times out when the queue is full.", "When its queue is full, the invoice service times out."),
    (
        "Our office moved from Lyon to Marseille last spring.",
        "Last spring the office relocated from Lyon to Marseille.",
    ),
    ("The user wants answers without bullet points.", "The user asked for replies that use no bullet points."),
    ("Unit tests must finish in under a minute.", "The unit test suite has to complete within one minute."),
    ("My sister is learning to play the cello.", "My sister has begun cello lessons."),
    ("The parser drops trailing commas without a warning.", "Trailing commas are silently removed by the parser."),
    ("Flights to Oslo were cancelled because of the storm.", "The storm caused the Oslo flights to be cancelled."),
    ("Passwords are hashed with argon2 before they are saved.", "Before saving, passwords get hashed using argon2."),
    ("The cat sleeps on top of the radiator.", "On top of the radiator is where the cat sleeps."),
    ("Anna finished her doctorate in chemistry.", "Anna completed a PhD in chemistry."),
    ("The camera's battery lasts about six hours.", "You get roughly six hours from the camera's battery."),
    ("Please write commit messages in the imperative.", "Commit messages should use the imperative mood."),
    ("The river flooded the lower part of the village.", "The lower village was flooded by the river."),
    ("He quit his job to open a bakery.", "He left his job in order to start a bakery."),
    ("Logs older than thirty days are deleted.", "We delete log files after thirty days."),
    ("The museum is closed on Mondays.", "On Mondays the museum does not open."),
    ("This laptop has a broken hinge.", "The hinge of this laptop is broken."),
    ("They adopted a second dog from the shelter.", "They took in another dog from the animal shelter."),
    ("The search page loads slowly on mobile phones.", "On mobile phones the search page is slow to load."),
    ("Payroll is processed on the last Friday of the month.", "Salaries are paid out each month's last Friday."),
)

# The second sentence is on the same matter and says something else.
RELATED: Pairs = (
    ("The database migration added an index on email.", "The database migration failed on the staging server."),
    ("Tom runs ten kilometres every Sunday.", "Tom bought new running shoes."),
    ("The printer on the third floor is out of toner.", "The printer on the third floor was replaced."),
    ("She booked a hotel in Kyoto for April.", "She cancelled her hotel in Kyoto."),
    ("The staging cluster has eight nodes.", "The staging cluster is rebuilt every weekend."),
    ("Grandfather kept bees behind the barn.", "Grandfather sold honey at the market."),
    ("The license key expires in March.", "The license key is stored in the vault."),
    ("Paul's flat has a view of the harbour.", "Paul pays too much rent for his flat."),
    ("The login form validates the email address.", "The login form is shown after a timeout."),
    ("The team uses trunk-based development.", "The team reviews every pull request twice."),
    ("The concert starts at eight in the evening.", "The concert was moved to a larger hall."),
    ("Our vegetables come from a farm nearby.", "Our vegetables froze during the cold week."),
    ("The webhook retries three times.", "The webhook signs its payload."),
    ("Lena speaks Portuguese at home.", "Lena teaches English at a school."),
    ("The bridge was built in the twenties.", "The bridge is closed for lorries."),
    ("The linter complains about unused imports.", "The formatter runs before the linter."),
    ("The new manager wants weekly reports.", "The new manager used to work in sales."),
    ("Rent for the studio went up in May.", "The studio was painted in May."),
    ("The cache holds up to a thousand entries.", "The cache is cleared when the server restarts."),
    ("He broke his wrist while skating.", "He won a medal in figure skating."),
)

# Most of one sentence is in the other, and yet neither may replace the other. (Facts that differ in one
# number, name or negation are not here: no cosine tells them apart, the guards of membership do.)
OVERLAPPING: Pairs = (
    ("The gateway listens on port 8080.", "The gateway forwards requests from port 8080 to the billing service."),
    ("Ben sees the dentist on Tuesday.", "Ben moved the dentist appointment away from Tuesday since he was ill."),
    ("Dark mode is enabled for beta users.", "Beta users complained that dark mode is hard to read."),
    ("Clara likes spicy food.", "Clara likes to cook spicy food for her friends at the weekend."),
    ("The import script reads CSV files.", "The import script skips CSV files larger than a gigabyte."),
    ("Daniel borrowed the bicycle.", "Daniel had an accident with the borrowed bicycle."),
    ("The tablets are taken before dinner.", "The tablets taken before dinner make him sleepy."),
    ("The supplier's contract runs until July.", "The supplier wants to end the contract before July."),
    ("The quarterly report is due in October.", "The quarterly report due in October will be written by the interns."),
    ("Source files are indented with spaces.", "A hook rejects source files indented with anything but spaces."),
    ("The bank approved the loan.", "The bank approved the loan on condition that her father vouches for it."),
    ("Their daughter plays chess.", "Their daughter won a chess tournament in Leipzig."),
    (
        "Branches are rebased before they are merged.",
        "Branches that are not rebased before the merge break the pipeline.",
    ),
    ("The garden gets sun in the morning.", "Tomatoes grow badly since the garden gets sun only in the morning."),
    ("The client leaks sockets.", "A patch release fixes the sockets that the client leaks."),
    ("The train to Vienna leaves from platform four.", "The train to Vienna was late and left from another platform."),
    ("The sensor reports its temperature.", "The sensor reports its temperature once a minute over MQTT."),
    ("The left headlight is broken.", "The garage ordered a new left headlight for the broken one."),
    ("The wiki is hosted in Frankfurt.", "The wiki was down when its host in Frankfurt lost power."),
    ("Eva signed up for a pottery class.", "Eva signed up for a pottery class with her mother as a birthday present."),
)

QUESTIONS: Pairs = (
    ("Which port does the metrics exporter listen on?", "The metrics exporter listens on port 9464."),
    ("Where did we go on holiday two years ago?", "Two summers ago we spent our holiday on the island of Crete."),
    ("Why was the release postponed?", "The release was postponed because signing the installer failed."),
    ("What is Julia's favourite ice cream?", "Julia always orders pistachio ice cream."),
    ("How do I reset the device?", "Hold the power button for ten seconds to reset the device."),
    ("Who looks after the billing module?", "Ravi owns the billing module since the reorganisation."),
    ("What did the doctor say about my knee?", "The doctor said the knee needs physiotherapy but no surgery."),
    ("Which library do we use for charts?", "Charts in the dashboard are drawn with Vega."),
    ("When is the anniversary of my parents?", "My parents celebrate their anniversary on the ninth of June."),
    ("What causes the memory leak in the worker?", "The worker leaks memory since callbacks are never removed."),
    ("How should error messages be phrased?", "Error messages should name the file and say what to do next."),
    ("Which school do the children attend?", "The children go to the primary school beside the park."),
    ("Is there a limit on upload size?", "Uploads are limited to fifty megabytes."),
    ("What colour did we choose for the kitchen?", "We painted the kitchen walls sage green."),
    ("How is the session token stored in the browser?", "The browser keeps the session token in an http-only cookie."),
    ("What instrument does the new neighbour practise?", "The new neighbour practises the trumpet late at night."),
    ("Which trains are affected by the strike?", "The strike affects all regional trains until Thursday."),
    ("What should I avoid before the blood test?", "Do not eat anything for twelve hours before the blood test."),
    ("Where is the spare key hidden?", "The spare key lies under the blue flower pot."),
    ("Which compiler flags do we build with?", "We build with link-time optimisation and warnings as errors."),
)
